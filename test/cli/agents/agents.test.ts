import { createHash } from 'node:crypto';
import test from 'ava';
import { testProgram } from '../support/program.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('add prints a token once, and the file has only its hash', async (t) => {
  const { run, stdout, stderr, files } = testProgram();
  t.is(await run('agents', 'add', 'edge-1', '--agents-file', 'agents'), 0);
  const token = stdout.text.trim();
  t.regex(token, /^[\w-]{43}$/);
  t.false(stderr.text.includes(token));
  t.false(files['agents']?.includes(token));
  t.true(files['agents']?.endsWith(`\nedge-1 sha256:${sha256(token)}\n`));
  t.is(await run('agents', 'add', 'edge-2', '--agents-file', 'agents'), 0);
  stdout.text = '';
  t.is(await run('agents', 'list', '--agents-file', 'agents'), 0);
  t.is(stdout.text, 'edge-1\nedge-2\n');
});

test('revoke removes an agent', async (t) => {
  const { run, stdout, files } = testProgram({ env: { HELM_AGENT_AGENTS_FILE: 'agents' } });
  for (const id of ['edge-1', 'edge-2']) await run('agents', 'add', id);
  t.is(await run('agents', 'revoke', 'edge-1'), 0);
  t.false(files['agents']?.includes('edge-1'));
  stdout.text = '';
  await run('agents', 'list');
  t.is(stdout.text, 'edge-2\n');
});

test('rotate adds a second token, and revoke ends the first one', async (t) => {
  let bytes = 0;
  const { run, stdout, stderr, files } = testProgram({
    env: { HELM_AGENT_AGENTS_FILE: 'agents' },
    randomBytes: (length) => new Uint8Array(length).fill(bytes++),
  });
  await run('agents', 'add', 'edge-1');
  const first = sha256(stdout.text.trim());
  stdout.text = '';
  t.is(await run('agents', 'rotate', 'edge-1'), 0);
  const second = sha256(stdout.text.trim());
  t.not(first, second);
  t.true(stderr.text.includes(`helm-agent agents revoke edge-1 --token ${first.slice(0, 12)}\n`));
  stdout.text = '';
  await run('agents', 'list', '--tokens');
  t.is(stdout.text, `edge-1 ${first.slice(0, 12)}\nedge-1 ${second.slice(0, 12)}\n`);
  t.is(await run('agents', 'revoke', 'edge-1', '--token', `sha256:${first.slice(0, 12)}`), 0);
  t.false(files['agents']?.includes(first));
  t.true(files['agents']?.includes(second));
  t.is(await run('agents', 'revoke', 'edge-1', '--token', first), 1);
  await run('agents', 'rotate', 'edge-1');
  t.is(await run('agents', 'revoke', 'edge-1'), 0);
  t.false(files['agents']?.includes('edge-1 sha256'));
});

test('revoke works in a file with wrong lines, and keeps all others', async (t) => {
  const line = (id: string) => `${id} sha256:${sha256(id)}\n`;
  const agents = `# mine\n${line('edge-1')}edge-1 nonsense\n${line('edge-2')}`;
  const { run, files } = testProgram({ files: { agents } });
  t.is(await run('agents', 'revoke', 'edge-1', '--agents-file', 'agents'), 0);
  t.is(files['agents'], `# mine\nedge-1 nonsense\n${line('edge-2')}`);
});

const fails = test.macro({
  exec: async (t, args: string[], message: RegExp) => {
    const given = { agents: `edge-1 sha256:${'0'.repeat(64)}\n`, bad: 'edge-1 password\n' };
    const { run, stderr, stdout, files } = testProgram({ files: given });
    t.is(await run('agents', ...args), 1);
    t.regex(stderr.text, message);
    t.is(stdout.text, '');
    t.deepEqual(files, given);
  },
  title: (name) => `fails for ${name ?? ''}`,
});

test('an agent that exists', fails, ['add', 'edge-1', '--agents-file', 'agents'], /has the agent edge-1 already/);
test('an id that is not allowed', fails, ['add', 'a b', '--agents-file', 'agents'], /must be at most 253 letters/);
test('an agent that does not exist', fails, ['revoke', 'x', '--agents-file', 'agents'], /agents has no agent x/);
test('a file that does not exist', fails, ['list', '--agents-file', 'none'], /open none: no such file/);
test('a line without a hash', fails, ['list', '--agents-file', 'bad'], /line 1: must be ID sha256:HASH/);
test('no file', fails, ['list'], /--agents-file \(HELM_AGENT_AGENTS_FILE\): name the file/);
const ofAgents = ['--agents-file', 'agents'];
test('a rotation of an agent that does not exist', fails, ['rotate', 'x', ...ofAgents], /has no agent x; add it/);
test('a hash of no token', fails, ['revoke', 'edge-1', '--token', 'ffff', ...ofAgents], /has no token whose hash/);
test('a hash that is too short', fails, ['revoke', 'edge-1', '--token', '0', ...ofAgents], /at least 4/);
test('an id with control characters', fails, ['revoke', 'a\u001b[2J', ...ofAgents], /must be at most 253 letters/);
test('a NUL in an id', fails, ['rotate', 'edge-1\u0000', ...ofAgents], /must be at most 253 letters/);
