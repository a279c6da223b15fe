import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { credentialOf, formatAgentsFile, parseAgentsFile } from '../../src/control-plane/agent-credentials.ts';
import { openAgentsFile } from '../../src/control-plane/index.ts';
import { recordingLog } from '../agent/support/log.ts';
import { testPlane } from './support/plane.ts';
import { rawAgent } from './support/raw-agent.ts';

async function fileWith(t: ExecutionContext, tokens: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'agents');
  const write = (given: Record<string, string>) =>
    writeFile(path, formatAgentsFile(Object.entries(given).map(([id, token]) => credentialOf(id, token))));
  await write(tokens);
  return { path, write };
}

async function planeWith(t: ExecutionContext, tokens: Record<string, string>) {
  const { path, write } = await fileWith(t, tokens);
  const { log, lines } = recordingLog();
  const agents = await openAgentsFile(path, { log, intervalMs: 20 });
  t.teardown(() => agents.close());
  const { plane, agentUrl } = await testPlane(t, { authenticate: agents.authenticate });
  const idOf = async (authorization?: string) => {
    return (await agents.authenticate({ headers: authorization === undefined ? {} : { authorization } }))?.agentId;
  };
  return { path, write, plane, agentUrl, idOf, lines };
}

test('an agents file has a line for each agent', (t) => {
  const credentials = [credentialOf('edge-1', 'one'), credentialOf('edge-2', 'two')];
  t.deepEqual(parseAgentsFile(`\n${formatAgentsFile(credentials)}\n  # a comment\n`), credentials);
  t.throws(() => parseAgentsFile('edge-1 sha256:12'), { code: 'agents_file_invalid', message: /line 1: must be ID/ });
  const two = [credentialOf('edge-1', 'one'), credentialOf('edge-1', 'two')];
  t.deepEqual(parseAgentsFile(formatAgentsFile([...two, ...two])), two);
});

test('an error of an agents file names the file and all wrong lines', async (t) => {
  const { path } = await fileWith(t, {});
  await writeFile(path, `edge-1 nonsense\n# a comment\n?\n`);
  const { message } = await t.throwsAsync(openAgentsFile(path), { code: 'agents_file_invalid' });
  t.true(message.startsWith(`agents file ${path}:\n  line 1: must be ID`));
  t.regex(message, /\n {2}line 3: must be ID/);
  t.false(message.includes('line 2'));
  const many = t.throws(() => parseAgentsFile('?\n'.repeat(1000), 'agents')).message;
  t.regex(many, /line 20: .*\n {2}and 980 more lines$/);
});

test('in a file with wrong lines, the right ones count', async (t) => {
  const { path, idOf, lines } = await planeWith(t, { 'edge-1': 'one', 'edge-2': 'two' });
  const wrong = ['edge-9', 'e\u0000 sha256:00', `a\u001b[2J sha256:${'0'.repeat(64)}`, 'x'.repeat(100_000), '\ufffd'];
  await writeFile(path, [...wrong, formatAgentsFile([credentialOf('edge-2', 'two')])].join('\n'));
  t.is(await idOf('Bearer two'), 'edge-2');
  t.is(await idOf('Bearer one'), undefined);
  t.regex(lines.join(''), /wrong lines; the others count/);
  t.regex(lines.join(''), /line 5: must be ID/);
});

test('an agent can have two tokens, and each connection ends with its own', async (t) => {
  const { path, plane, agentUrl } = await planeWith(t, { 'edge-1': 'one' });
  const write = (...tokens: string[]) =>
    writeFile(path, formatAgentsFile(tokens.map((token) => credentialOf('edge-1', token))));
  await write('one', 'two');
  const older = await rawAgent(agentUrl, {}, 'one');
  const closed = once(older.socket, 'close');
  const newer = await rawAgent(agentUrl, { agentId: 'edge-1' }, 'two');
  await write('two');
  t.true([4401, 4409].includes((await closed)[0] as number));
  await t.throwsAsync(rawAgent(agentUrl, {}, 'one'), { message: /401/ });
  await sleep(100);
  t.is(newer.socket.readyState, newer.socket.OPEN);
  t.is(plane.agents().length, 1);
});

test('a token belongs to one agent', async (t) => {
  const { idOf } = await planeWith(t, { 'edge-1': 'one', 'edge-2': 'two' });
  t.is(await idOf('Bearer one'), 'edge-1');
  t.is(await idOf('bearer two'), 'edge-2');
  for (const wrong of [undefined, '', 'Bearer', 'Bearer ', 'Bearer three', 'Basic one', 'one']) {
    t.is(await idOf(wrong), undefined);
  }
});

test('an agent that is revoked is disconnected, and the others stay', async (t) => {
  const { plane, agentUrl, write, idOf } = await planeWith(t, { 'edge-1': 'one', 'edge-2': 'two' });
  const [first] = [await rawAgent(agentUrl, {}, 'one'), await rawAgent(agentUrl, { agentId: 'edge-2' }, 'two')];
  const closed = once(first.socket, 'close');
  await write({ 'edge-2': 'two', 'edge-3': 'three' });
  t.is((await closed)[0], 4401);
  t.is(await idOf('Bearer one'), undefined);
  t.is(await idOf('Bearer three'), 'edge-3');
  t.deepEqual(
    plane.agents().map(({ agentId }) => agentId),
    ['edge-2'],
  );
});

test('an agent with a new token is disconnected', async (t) => {
  const { agentUrl, write } = await planeWith(t, { 'edge-1': 'one' });
  const agent = await rawAgent(agentUrl, {}, 'one');
  const closed = once(agent.socket, 'close');
  await write({ 'edge-1': 'other' });
  t.is((await closed)[0], 4401);
});

test('a file that cannot be read any more keeps its last agents, with a warning', async (t) => {
  const { path, idOf, lines } = await planeWith(t, { 'edge-1': 'one' });
  await writeFile(path, 'nonsense');
  t.is(await idOf('Bearer one'), 'edge-1');
  await rm(path);
  await sleep(50);
  t.is(await idOf('Bearer one'), 'edge-1');
  t.is(lines.filter((line) => line.includes('cannot read the agents file')).length, 2);
});

test('what was revoked stays revoked when the file cannot be used, and others come and go', async (t) => {
  const { path, write, agentUrl, idOf } = await planeWith(t, { 'edge-1': 'one', 'edge-2': 'two' });
  const other = await rawAgent(agentUrl, { agentId: 'edge-2' }, 'two');
  await write({ 'edge-2': 'two' });
  t.is(await idOf('Bearer one'), undefined);
  for (const content of ['', 'nonsense', '\u0000'.repeat(1000), 'a'.repeat(5 * 1024 * 1024)]) {
    await writeFile(path, content);
    t.is(await idOf('Bearer one'), undefined);
    t.is(await idOf('Bearer two'), 'edge-2');
  }
  t.is(other.socket.readyState, other.socket.OPEN);
  await write({});
  t.is(await idOf('Bearer two'), undefined, 'a file without lines has no agents');
});

test('a folder, a device, a pipe and a file that is too large are errors', async (t) => {
  const { path } = await fileWith(t, {});
  await t.throwsAsync(openAgentsFile(dirname(path)), { message: /is not a file|illegal operation on a directory/ });
  await t.throwsAsync(openAgentsFile('/dev/zero'), { message: /is not a file/ });
  execFileSync('mkfifo', [`${path}.pipe`]);
  await t.throwsAsync(openAgentsFile(`${path}.pipe`), { message: /is not a file/ });
  await writeFile(path, '');
  await truncate(path, 2 ** 40);
  await t.throwsAsync(openAgentsFile(path), { message: /more than 4194304 bytes/ });
});

test('a file that cannot be read at the start is an error', async (t) => {
  await t.throwsAsync(openAgentsFile('/none'), { code: 'agents_file_invalid', message: /no such file/ });
});
