import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pMap from 'p-map';
import { readServerSentEvents, type ServerSentEvent } from '../../src/cli/ctl/server-sent-events.ts';
import { postgresFolder, type PostgresServer, startPostgres } from '../control-plane/support/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { type Replica, type ReplicasOptions, startBalancer, startReplicas } from './support/control-plane-replicas.ts';
import { type LastingAgent, startLastingAgent } from './support/lasting-agent.ts';

const folder = postgresFolder();

/** Time for all that a busy machine makes slow, in milliseconds. */
const limitMs = 120_000;

/** Number of commands during which processes are killed. */
const count = 1000;

interface World {
  server: PostgresServer;
  replicas: Replica[];
  agent: LastingAgent;
  api: string;
}

/** PostgreSQL, three replicas behind a balancer, and an agent. */
async function startWorld(t: ExecutionContext, bin: string, options: ReplicasOptions = {}): Promise<World> {
  const server = await startPostgres(bin);
  t.teardown(() => server.close());
  const files = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(files, { recursive: true, force: true }));
  const replicas = await startReplicas(3, await server.createDatabase(), files, options);
  t.teardown(() => Promise.all(replicas.map((replica) => replica.kill())));
  const balancer = await startBalancer(replicas.map(({ port }) => port));
  t.teardown(() => balancer.close());
  const agent = startLastingAgent('edge-1', `ws://127.0.0.1:${balancer.port}/agents`);
  t.teardown(() => agent.close());
  const api = `http://127.0.0.1:${balancer.port}/api`;
  await eventually('the agent is connected', () => isConnected(api), limitMs);
  return { server, replicas, agent, api };
}

async function isConnected(api: string): Promise<boolean> {
  const response = await fetch(`${api}/agents`).catch(() => undefined);
  if (response?.status !== 200) return false;
  const { agents } = (await response.json()) as { agents: { agentId: string; connected: boolean }[] };
  return agents.some(({ agentId, connected }) => agentId === 'edge-1' && connected);
}

/** Sends a command. Repeats the request until a replica has responded that it is stored. */
async function send(api: string, key: string): Promise<void> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, type: 'install_release', payload: { releaseName: key, chartName: 'c' } }),
  };
  await eventually(
    `${key} is stored`,
    async () => {
      const response = await fetch(`${api}/agents/edge-1/commands`, init).catch(() => undefined);
      await response?.text().catch(() => undefined);
      if (response && ![202, 404, 409, 503].includes(response.status)) throw new Error(`status ${response.status}`);
      return response?.status === 202 || (await sleep(20, false));
    },
    limitMs,
  );
}

/** Returns all events of a command, which several replicas may have sent. */
async function eventsOf(api: string, key: string): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const read = async () => {
    const headers = { 'last-event-id': events.at(-1)?.id ?? '0' };
    const response = await fetch(`${api}/commands/${key}/events`, { headers });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    for await (const event of readServerSentEvents(response.body)) events.push(event);
  };
  await eventually(
    `the result of ${key}`,
    async () => {
      await read().catch(() => sleep(20)); // the connection was cut
      return events.at(-1)?.event === 'result';
    },
    limitMs,
  );
  return events;
}

async function leaderOf(replicas: readonly Replica[]): Promise<Replica | undefined> {
  const states = await Promise.all(replicas.map((replica) => replica.leads()));
  return replicas[states.indexOf(true)];
}

const title = 'nothing is lost or done twice when PostgreSQL and two leaders are killed during a thousand commands';
const run = async (t: ExecutionContext, bin: string) => {
  t.timeout(4 * limitMs, 'processes start slowly on a busy machine');
  const { server, replicas, agent, api } = await startWorld(t, bin);
  const states = async () => (await Promise.all(replicas.map((replica) => replica.ready()))).toSorted().join();
  await eventually('the other replicas wait', async () => (await states()) === '200,503,503', limitMs);

  // a stream that is open while a replica dies
  agent.hold('held');
  await send(api, 'held');
  const following = eventsOf(api, 'held');

  const keys = Array.from({ length: count }, (_, index) => `k${index}`);
  let sent = 0;
  const sending = pMap(
    keys,
    async (key) => {
      await send(api, key);
      sent += 1;
    },
    { concurrency: 16 },
  );
  await eventually('a quarter was sent', () => sent >= count / 4, limitMs);
  const leader = await leaderOf(replicas);
  await server.kill();
  const start = performance.now();
  await eventually('the leader is not ready', async () => (await leader?.ready()) === 503);
  t.log(`not ready ${Math.round(performance.now() - start)} ms after PostgreSQL was killed`);
  await server.start();
  for (const part of [2, 3]) {
    await eventually(`${part} quarters were sent`, () => sent >= (count * part) / 4, limitMs);
    const dying = await leaderOf(replicas);
    await dying?.kill();
    const killed = performance.now();
    await eventually('another replica leads', async () => (await leaderOf(replicas)) !== undefined, limitMs);
    const took = performance.now() - killed;
    t.log(`another replica leads ${Math.round(took)} ms after the leader was killed`);
    t.true(took < 15_000);
  }
  await sending;
  await eventually('all were performed', () => agent.performed.size === count + 1, limitMs);
  agent.release();
  const all = await pMap(keys, (key) => eventsOf(api, key), { concurrency: 16 });
  checkEvents(t, [...all, await following]);
};

/** Checks that commands have all events once, in their order. */
function checkEvents(t: ExecutionContext, commands: ServerSentEvent[][]): void {
  for (const events of commands) {
    t.deepEqual(
      events.map(({ id }) => Number(id)),
      events.map((_, index) => index + 1),
    );
    t.deepEqual(
      events.flatMap(({ event }) => (event === 'agent' ? [] : event)),
      ['accepted', 'result'],
    );
  }
}

const relayTitle = 'all replicas serve agents and users, and nothing is lost when the one that leads is killed';
const runRelayed = async (t: ExecutionContext, bin: string) => {
  t.timeout(4 * limitMs, 'processes start slowly on a busy machine');
  const { replicas, agent, api } = await startWorld(t, bin, { doRelay: true });
  const states = async () => (await Promise.all(replicas.map((replica) => replica.ready()))).join();
  await eventually('all are ready', async () => (await states()) === '200,200,200', limitMs);
  agent.hold('held');
  await send(api, 'held');
  const following = eventsOf(api, 'held');
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  let sent = 0;
  const sending = pMap(
    keys,
    async (key) => {
      await send(api, key);
      sent += 1;
    },
    { concurrency: 16 },
  );
  await eventually('a half was sent', () => sent >= keys.length / 2, limitMs);
  const dying = await leaderOf(replicas);
  await dying?.kill();
  const killed = performance.now();
  await eventually('another replica leads', async () => (await leaderOf(replicas)) !== undefined, limitMs);
  t.log(`another replica leads ${Math.round(performance.now() - killed)} ms after the leader was killed`);
  await eventually('the agent is connected', () => isConnected(api), limitMs);
  const took = performance.now() - killed;
  t.log(`the agent is back ${Math.round(took)} ms after the leader was killed`);
  t.true(took < 15_000);
  await sending;
  await eventually('all were performed', () => agent.performed.size === keys.length + 1, limitMs);
  agent.release();
  checkEvents(t, [...(await pMap(keys, (key) => eventsOf(api, key), { concurrency: 16 })), await following]);
};

for (const [name, exec] of [
  [title, run],
  [relayTitle, runRelayed],
] as const) {
  if (folder === undefined) test.skip(`${name} (PostgreSQL is not installed)`, (t) => t.pass());
  else test.serial(name, exec, folder);
}
