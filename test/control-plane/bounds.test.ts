import { once } from 'node:events';
import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { type CommandEvent, createMemoryStore, type SentCommand } from '../../src/control-plane/index.ts';
import { eventually } from '../support/eventually.ts';
import { failingStore } from './support/failing-store.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const parameters = { releaseName: 'web', chartName: 'c' };
const status = (seq: number, message = '') => ({
  ...{ seq, step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z' },
  message,
});
const waits = { deliverWithin: '1h' };

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events = [];
  for await (const event of command) events.push(event);
  return events;
}

test('refuses further commands for an agent, and for all agents, when too many have no result', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { limits: { agentCommands: 2, commands: 3 } });
  const first = plane.install('edge-1', parameters, { ...waits, key: 'a' });
  plane.install('edge-1', parameters, waits);
  const busy = (agentId: string, message: RegExp) =>
    t.throws(() => plane.install(agentId, parameters, waits), { code: 'busy', message });
  busy('edge-1', /^2 commands of the agent edge-1 have no result yet; try again later$/);
  plane.install('edge-2', parameters, waits);
  busy('edge-2', /^3 commands have no result yet/);
  t.is<unknown, unknown>(plane.install('edge-1', parameters, { ...waits, key: 'a' }), first);
  const agent = await rawAgent(agentUrl);
  agent.send('result', installed, 'a');
  await first.result;
  t.notThrows(() => plane.install('edge-1', parameters, waits));
});

test('refuses further commands when the payloads that are not accepted are too large, also equal ones', async (t) => {
  const limits = { agentPayloadBytes: 3000, payloadBytes: 5000 };
  const { plane, agentUrl } = await testPlane(t, { limits });
  const large = { ...parameters, values: 'a'.repeat(2000) };
  const first = plane.install('edge-1', large, waits);
  t.throws(() => plane.install('edge-1', large, waits), { code: 'busy', message: /agent edge-1 have 3000 bytes/ });
  plane.install('edge-2', large, waits);
  t.throws(() => plane.install('edge-3', large, waits), { code: 'busy', message: /agents have 5000 bytes/ });
  const agent = await rawAgent(agentUrl);
  agent.send('accepted', { durable: false }, first.key);
  for await (const { type } of first) if (type === 'accepted') break;
  t.notThrows(() => plane.install('edge-1', large, waits));
});

test('the oldest events of commands without a result are dropped when all have too many', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { limits: { eventBytes: 20_000 } });
  const agent = await rawAgent(agentUrl);
  const commands = ['a', 'b'].map((key) => plane.install('edge-1', parameters, { key }));
  for (let seq = 1; seq <= 50; seq++) {
    for (const { key } of commands) agent.send('status', status(seq, 'a'.repeat(400)), key);
  }
  for (const { key } of commands) agent.send('result', installed, key);
  await Promise.all(commands.map((command) => command.result)); // nothing is read until all have arrived
  for (const command of commands) {
    const events = await eventsOf(command);
    t.is(events.at(-1)?.type, 'result');
    t.like(events.at(-2), { type: 'status', payload: { seq: 50 } });
    t.true(events.length > 5 && events.length < 25, String(events.length));
  }
});

const resume = { epoch: 'a', acknowledged: 0, connection: 1 };

const notRead = test.macro({
  async exec(t, isResuming: boolean) {
    const limits = { unconfirmedBytes: 12_000_000, agentPayloadBytes: 64_000_000 };
    const { plane, agentUrl, lines } = await testPlane(t, { limits });
    const agent = await rawAgent(agentUrl, isResuming ? { resume } : {});
    agent.socket.pause();
    const values = 'a'.repeat(900_000);
    const commands: SentCommand[] = [];
    while (plane.agents().length > 0) {
      commands.push(plane.install('edge-1', { ...parameters, values }, waits));
      await commands.at(-1)?.stored;
      // an agent can send results of commands that it has not read
      agent.send('result', installed, commands[0]?.key);
      await commands[0]?.result;
    }
    t.true(commands.length <= 40, String(commands.length));
    t.true(lines.join('').includes('an agent that does not read'));
    const next = await rawAgent(agentUrl, isResuming ? { resume: { ...resume, connection: 2 } } : {});
    while (next.packets.length < commands.length) await once(next.socket, 'message');
    t.deepEqual(
      next.packets.slice(1).map(({ key }) => key),
      commands.slice(1).map(({ key }) => key),
    );
  },
  title: (name) => `closes the connection of an agent that does not read, and sends its commands again: ${name ?? ''}`,
});

test('one that resumes', notRead, true);
test('one that does not', notRead, false);

test('closes the connection of an agent that does not confirm what it reads', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { limits: { unconfirmedPackets: 3 } });
  const agent = await rawAgent(agentUrl, { resume });
  const closed = once(agent.socket, 'close');
  for (const key of ['a', 'b', 'c']) {
    const { result, stored } = plane.install('edge-1', parameters, { key });
    await stored;
    agent.send('result', installed, key);
    await result;
  }
  plane.install('edge-1', parameters);
  t.is((await closed)[0], 4400);
  t.deepEqual(plane.agents(), []);
  const next = await rawAgent(agentUrl, { resume: { ...resume, connection: 2 } });
  await next.packet('install_release');
  t.deepEqual(
    next.packets.map(({ type }) => type),
    ['welcome', 'install_release'],
  );
});

test('reads no further packets of agents, and accepts no agents, while too many changes are not stored', async (t) => {
  const { store, fail } = failingStore();
  const { plane, agentUrl } = await testPlane(t, { store, limits: { unstoredBytes: 100_000 } });
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  await command.stored;
  fail(true);
  const count = 2000;
  for (let seq = 1; seq <= count; seq++) agent.send('status', status(seq, 'a'.repeat(6000)), command.key);
  agent.send('result', installed, command.key);
  const refused = async (): Promise<unknown> => {
    for (;;) {
      try {
        (await rawAgent(agentUrl, { agentId: 'edge-2' })).socket.terminate();
      } catch (error) {
        return error;
      }
    }
  };
  t.regex(String(await refused()), /503/);
  t.is(command.state, 'sent');
  t.true(agent.socket.bufferedAmount > 0);
  fail(false);
  t.true((await command.result).ok);
  t.like((await eventsOf(command)).at(-2), { payload: { seq: count } });
});

test('remembers agents that were connected, up to a number', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { limits: { knownAgents: 1 } });
  for (const agentId of ['edge-1', 'edge-2']) (await rawAgent(agentUrl, { agentId })).socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  t.is(plane.install('edge-1', parameters).state, 'waiting');
  t.throws(() => plane.install('edge-2', parameters), { code: 'agent_not_connected' });
});

test('forgets the packets for agents that have not been connected for longest', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { limits: { sessions: 2 } });
  const epochOf = async (agentId: string, connection: number) => {
    const agent = await rawAgent(agentUrl, { agentId, resume: { ...resume, connection } });
    const welcome = JSON.parse((await agent.packet('welcome')).payload ?? '') as { resume: { epoch: string } };
    agent.socket.terminate();
    await eventually('the agent is disconnected', () => plane.agents().length === 0);
    return welcome.resume.epoch;
  };
  const [first, second] = [await epochOf('edge-1', 1), await epochOf('edge-2', 1)];
  t.is(await epochOf('edge-1', 2), first);
  await epochOf('edge-3', 1);
  t.is(await epochOf('edge-1', 3), first);
  t.not(await epochOf('edge-2', 2), second);
});

test('keeps the newest results up to the retention of the store', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { store: createMemoryStore({ retention: { commands: 2 } }) });
  const agent = await rawAgent(agentUrl);
  for (const key of ['a', 'b', 'c']) {
    const { result } = plane.install('edge-1', parameters, { key });
    agent.send('result', installed, key);
    await result;
  }
  t.is(plane.command('a'), undefined);
  for await (const { id, key } of plane.results()) {
    t.deepEqual([id, key], [2, 'b']);
    break;
  }
});

/** Starts a request with a command whose body is not complete. */
function startedRequest(t: ExecutionContext, url: string) {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${url}/api/agents/edge-1/commands`, { method: 'POST', headers });
  const status = once(sent, 'response').then(([response]) => (response as { statusCode: number }).statusCode);
  t.teardown(() => sent.destroy());
  sent.write('{"type":"install_release","payload":{"releaseName":"web","chartName":"c","values":"');
  return { sent, status };
}

test('refuses requests while the bodies of others are too large together', async (t) => {
  const { url } = await testPlane(t, { limits: { requestBytes: 10_000 } });
  const [first, second] = [startedRequest(t, url), startedRequest(t, url)];
  first.sent.write('a'.repeat(8000));
  second.sent.write('a'.repeat(8000));
  t.is(await Promise.race([first.status, second.status]), 503);
  const third = startedRequest(t, url);
  third.sent.end('"},"deliverWithin":"1h"}');
  t.is(await third.status, 202);
});
