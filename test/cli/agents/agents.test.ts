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
