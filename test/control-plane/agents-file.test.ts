import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const twice = formatAgentsFile([credentialOf('edge-1', 'one'), credentialOf('edge-1', 'two')]);
  t.throws(() => parseAgentsFile(twice), { message: /line 3: the agent edge-1 has a line already/ });
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

test('a file that cannot be read at the start is an error', async (t) => {
  await t.throwsAsync(openAgentsFile('/none'), { code: 'agents_file_invalid', message: /no such file/ });
});
