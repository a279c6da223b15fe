import { once } from 'node:events';
import test from 'ava';
import { createSqliteStore, type SentCommand } from '../../src/control-plane/index.ts';
import { failingStore } from './support/failing-store.ts';
import { temporaryFile } from './support/file.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const parameters = { releaseName: 'web', chartName: 'c' };

/** Returns a command that an agent has accepted before it went away. */
async function abandonedCommand({ plane, agentUrl }: Awaited<ReturnType<typeof testPlane>>): Promise<SentCommand> {
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  await agent.packet('install_release');
  agent.send('accepted', { durable: true }, command.key);
  for await (const { type } of command) if (type === 'accepted') break;
  const gone = once(plane, 'disconnect');
  agent.socket.terminate();
  await gone;
  return command;
}

test('commands of an agent that will not come back end when it is forgotten, also after a restart', async (t) => {
  const path = await temporaryFile(t);
  const first = await testPlane(t, { store: createSqliteStore(path) });
  const running = await abandonedCommand(first);
  const waiting = first.plane.install('edge-1', { ...parameters, releaseName: 'other' });
  const other = first.plane.install('edge-2', parameters, { deliverWithin: '1h' });
  t.is(await first.plane.forgetAgent('edge-1'), 2);
  const error = { code: 'agent_forgotten', message: 'the agent edge-1 was forgotten before it sent the result' };
  t.deepEqual(await running.result, { ok: false, error });
  t.deepEqual(await waiting.result, { ok: false, error });
  t.is(other.state, 'waiting');
  await first.plane.close();

  const second = await testPlane(t, { store: createSqliteStore(path) });
  t.is(second.plane.command(running.key)?.state, 'done');
  await t.throwsAsync(second.plane.forgetAgent('edge-1'), { code: 'agent_not_found' });
  t.throws(() => second.plane.install('edge-1', parameters), { code: 'agent_not_connected' }, 'it is a new agent');
});

test('what a forgotten agent sends about its old commands changes nothing', async (t) => {
  const world = await testPlane(t);
  const { plane, agentUrl } = world;
  const command = await abandonedCommand(world);
  await plane.forgetAgent('edge-1');

  const back = await rawAgent(agentUrl);
  back.send('result', installed, command.key);
  const next = plane.install('edge-1', { ...parameters, releaseName: 'next' });
  const { key } = await back.packet('install_release');
  t.is(key, next.key, 'the old command is not sent again');
  back.send('result', installed, next.key);
  t.deepEqual(await next.result, installed);
  t.like(await command.result, { ok: false, error: { code: 'agent_forgotten' } });
});

test('an agent that is connected is not forgotten', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  await t.throwsAsync(plane.forgetAgent('edge-1'), { code: 'agent_connected', message: /stop it or revoke it first/ });
  await agent.packet('install_release');
  agent.send('result', installed, command.key);
  t.deepEqual(await command.result, installed);
});

test('a command that is cancelled before it is stored has one result, also if it cannot be stored', async (t) => {
  const { store, fail } = failingStore();
  const { plane } = await testPlane(t, { store });
  fail(true);
  const command = plane.install('edge-9', parameters, { deliverWithin: '1h' });
  t.false(await command.cancel());
  t.like(await command.result, { ok: false, error: { code: 'store_unavailable' } });
  await t.throwsAsync(command.stored, { code: 'store_unavailable' });
  fail(false);
});
