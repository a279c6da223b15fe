import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  type CommandEvent,
  type CommandOutcome,
  createMemoryStore,
  createSqliteStore,
} from '../../src/control-plane/index.ts';
import { eventually } from '../support/eventually.ts';
import { failingStore } from './support/failing-store.ts';
import { temporaryFile } from './support/file.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';
import { batch, record } from './support/stored.ts';

const parameters = { releaseName: 'web', chartName: 'c' };
const status = (seq: number) => ({ seq, step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z' });

/** Returns a function that starts a control plane, after the one before has stopped. */
async function restartable(t: ExecutionContext) {
  const path = await temporaryFile(t);
  let last: Awaited<ReturnType<typeof testPlane>> | undefined;
  return async () => {
    await last?.plane.close();
    return (last = await testPlane(t, { store: createSqliteStore(path) }));
  };
}

async function eventsOf(command: AsyncIterable<CommandEvent> | undefined): Promise<CommandEvent[]> {
  const events: CommandEvent[] = [];
  if (command) for await (const event of command) events.push(event);
  return events;
}

const summary = (events: readonly CommandEvent[]) =>
  events.map(({ id, type, payload }) => [id, type, 'connected' in payload ? payload.connected : undefined]);

test('after a restart, open commands are known, and the same process of the agent is asked for the rest', async (t) => {
  const start = await restartable(t);
  const first = await start();
  const agent = await rawAgent(first.agentUrl);
  const { key } = first.plane.install('edge-1', parameters);
  await agent.packet('install_release');
  agent.send('accepted', { durable: false }, key);
  agent.send('status', status(1), key);
  for await (const { type } of first.plane.command(key) ?? []) if (type === 'status') break;

  const second = await start();
  const command = second.plane.command(key);
  t.like(command, { agentId: 'edge-1', type: 'install_release', state: 'accepted' });
  t.is<unknown, unknown>(second.plane.install('edge-1', parameters, { key }), command);
  t.throws(() => second.plane.install('edge-1', { ...parameters, releaseName: 'b' }, { key }), { code: 'key_reused' });
  const later = await rawAgent(second.agentUrl);
  t.deepEqual(JSON.parse((await later.packet('unfinished')).payload ?? ''), { keys: [key] });
  for (const seq of [1, 2]) later.send('status', status(seq), key);
  for (let i = 0; i < 2; i++) later.send('result', installed, key);
  const whole = [
    [1, 'accepted', undefined],
    [2, 'status', undefined],
    [3, 'agent', false],
    [4, 'agent', true],
    [5, 'status', undefined],
    [6, 'result', undefined],
  ];
  t.deepEqual(summary(await eventsOf(command)), whole);
  t.deepEqual(await command?.result, installed);

  const third = await start();
  t.deepEqual(summary(await eventsOf(third.plane.command(key))), whole);
  t.deepEqual(await third.plane.command(key)?.result, installed);
  t.false(later.packets.some(({ type }) => type === 'install_release'));
});

test('a stream of events continues after a restart', async (t) => {
  const start = await restartable(t);
  const first = await start();
  const agent = await rawAgent(first.agentUrl);
  const { key } = first.plane.install('edge-1', parameters);
  await agent.packet('install_release');
  agent.send('accepted', { durable: false }, key);
  for await (const { type } of first.plane.command(key) ?? []) if (type === 'accepted') break;

  const second = await start();
  const stream = await fetch(`${second.url}/api/commands/${key}/events`, { headers: { 'last-event-id': '1' } });
  const later = await rawAgent(second.agentUrl);
  later.send('result', installed, key);
  const events = (await stream.text()).matchAll(/^id: (\d+)\nevent: (\w+)$/gm);
  t.deepEqual(
    [...events].map(([, id, type]) => [id, type]),
    [
      ['2', 'agent'],
      ['3', 'agent'],
      ['4', 'result'],
    ],
  );
});

test('a command that the agent has not accepted is sent again after a restart', async (t) => {
  const start = await restartable(t);
  const first = await start();
  const agent = await rawAgent(first.agentUrl);
  first.plane.install('edge-1', parameters, { key: 'k' });
  const sent = await agent.packet('install_release');
  const second = await start();
  const later = await rawAgent(second.agentUrl);
  t.deepEqual(await later.packet('install_release'), sent);
});

test('a command waits for its agent, through a restart, and is sent in the order of its arrival', async (t) => {
  const start = await restartable(t);
  const first = await start();
  const options = (key: string) => ({ key, deliverWithin: '1h' });
  first.plane.install('edge-1', parameters, options('a'));
  const waiting = first.plane.upgrade('edge-1', parameters, options('b'));
  t.is(waiting.state, 'waiting');
  await waiting.stored;

  const second = await start();
  t.is(second.plane.command('b')?.state, 'waiting');
  const agent = await rawAgent(second.agentUrl, { capabilities: ['install_release', 'upgrade_release'] });
  await agent.packet('upgrade_release');
  t.deepEqual(
    agent.packets.map(({ key, type }) => key ?? type),
    ['welcome', 'a', 'b'],
  );
  agent.send('result', installed, 'a');
  t.deepEqual(summary(await eventsOf(second.plane.command('a'))), [
    [1, 'agent', false],
    [2, 'agent', true],
    [3, 'result', undefined],
  ]);
});

test('a command for an agent that was connected before waits, unless it only reads', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  agent.socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  t.is(plane.install('edge-1', parameters).state, 'waiting');
  t.is(plane.list('edge-1', {}, { deliverWithin: '1m' }).state, 'waiting');
  t.throws(() => plane.list('edge-1'), { code: 'agent_not_connected' });
  t.throws(() => plane.install('edge-1', { ...parameters, dryRun: true }), { code: 'agent_not_connected' });
  t.throws(() => plane.install('edge-1', parameters, { deliverWithin: false }), { code: 'agent_not_connected' });
  t.throws(() => plane.install('edge-1', parameters, { deliverWithin: 'soon' }), { code: 'bad_request' });
});

test('a command whose agent does not connect in time fails, and is not sent', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const late = plane.install('edge-1', parameters, { deliverWithin: '10ms' });
  t.like(await late.result, { ok: false, error: { code: 'command_expired' } });
  const agent = await rawAgent(agentUrl);
  plane.install('edge-1', parameters, { key: 'next' });
  t.is((await agent.packet('install_release')).key, 'next');
});

test('a command waits that expires later than a timer of Node can', async (t) => {
  const store = createMemoryStore();
  const month = 31 * 24 * 3_600_000;
  await store.write(batch({ commands: [record('waits', { expiresAt: Date.now() + month })] }));
  const { plane } = await testPlane(t, { store });
  const late = plane.install('edge-1', parameters, { deliverWithin: '10ms' });
  t.like(await late.result, { ok: false, error: { code: 'command_expired' } });
  t.is(plane.command('waits')?.state, 'waiting');
});

test('a command that waits for an agent that does not know it fails', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const command = plane.test('edge-1', { releaseName: 'web' }, { deliverWithin: '1h' });
  await command.stored;
  await rawAgent(agentUrl);
  t.like(await command.result, { ok: false, error: { code: 'unknown_command' } });
});

test('results come again after a restart until they are processed, in their order', async (t) => {
  const start = await restartable(t);
  const first = await start();
  const agent = await rawAgent(first.agentUrl);
  for (const key of ['a', 'b', 'c']) {
    const command = first.plane.install('edge-1', parameters, { key });
    agent.send('result', installed, key);
    await command.result;
  }
  for await (const { key } of first.plane.results()) if (key === 'b') break; // while it is processed

  const second = await start();
  const seen: CommandOutcome[] = [];
  for await (const outcome of second.plane.results()) {
    seen.push(outcome);
    if (outcome.key === 'c') break;
  }
  const rest = { agentId: 'edge-1', type: 'install_release', result: installed };
  t.deepEqual(seen, [
    { id: 2, key: 'b', ...rest },
    { id: 3, key: 'c', ...rest },
  ]);

  const third = await start();
  const reader = new AbortController();
  const stream = await fetch(`${third.url}/api/results`, { headers: { 'last-event-id': '2' }, signal: reader.signal });
  t.regex(await firstChunk(stream), /^id: 3\nevent: result\ndata: \{"key":"c",/);
  reader.abort();
  const command = (await (await fetch(`${third.url}/api/commands/b`)).json()) as object;
  t.like(command, { state: 'done', delivered: true });
});

async function firstChunk({ body }: Response): Promise<string> {
  const read = await body?.getReader().read();
  return Buffer.from(read?.value ?? []).toString();
}

test('a command that cannot be stored is refused and not sent, and its key stays free', async (t) => {
  const { store, fail } = failingStore();
  const { plane, agentUrl, url, lines } = await testPlane(t, { store });
  const agent = await rawAgent(agentUrl);
  const before = plane.install('edge-1', parameters, { key: 'before' });
  await before.stored;
  fail(true);
  const request = { type: 'install_release', payload: parameters, key: 'k' };
  const post = async () => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(request) };
    const response = await fetch(`${url}/api/agents/edge-1/commands`, init);
    return [response.status, JSON.stringify(await response.json())] as const;
  };
  const [code, body] = await post();
  t.is(code, 503);
  t.regex(body, /store_unavailable/);
  agent.send('result', installed, 'before');
  await eventually('the command is done', () => before.state === 'done');
  t.is((await post())[0], 503);
  t.is(plane.command('k'), undefined);
  t.true(lines.join('').includes('the disk is full'));
  fail(false);
  t.true((await before.result).ok, 'is stored later');
  t.is((await post())[0], 202);
  t.deepEqual(
    agent.packets.flatMap(({ key }) => key ?? []),
    ['before', 'k'],
  );
});

test('a command that could not be stored has no place among the results, and its key is used again', async (t) => {
  const { store, fail } = failingStore({ retention: { commands: 2 } });
  const { plane, agentUrl } = await testPlane(t, { store });
  const agent = await rawAgent(agentUrl);
  const perform = async (key: string) => {
    const command = plane.install('edge-1', parameters, { key });
    await command.stored;
    agent.send('result', installed, key);
    await command.result;
  };
  const results = plane.results();
  await perform('before');
  t.like((await results.next()).value, { id: 1, key: 'before' });
  fail(true);
  await t.throwsAsync(plane.install('edge-1', parameters, { key: 'k' }).stored, { code: 'store_unavailable' });
  fail(false);
  const send = async () => plane.install('edge-1', parameters, { key: 'k' }).stored;
  await eventually('the store works again', () =>
    send().then(
      () => true,
      () => false,
    ),
  );
  for (const key of ['c1', 'c2', 'c3']) await perform(key);
  t.is(plane.command('k')?.state, 'sent', 'results of other commands have not replaced one that runs');
  t.like((await results.next()).value, { key: 'c2' });
  t.like((await results.next()).value, { key: 'c3' });
});

test('a control plane that starts reads the events of its open commands together', async (t) => {
  const store = createMemoryStore();
  await store.write(batch({ commands: Array.from({ length: 1500 }, (_, index) => record(`k${index}`)) }));
  let turns = 0;
  let isNewTurn = true;
  const events = async (key: string) => {
    if (isNewTurn) {
      turns++;
      isNewTurn = false;
      setImmediate(() => (isNewTurn = true));
    }
    await nextTurn();
    return await store.events(key);
  };
  await testPlane(t, { store: { ...store, events } });
  t.is(turns, 2);
});
