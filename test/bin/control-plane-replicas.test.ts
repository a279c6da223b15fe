import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pMap from 'p-map';
import { readServerSentEvents, type ServerSentEvent } from '../../src/cli/ctl/server-sent-events.ts';
import { type Fleet, fleetOf } from '../control-plane/rollouts/support/fleet.ts';
import { postgresFolder, type PostgresServer, startPostgres } from '../control-plane/support/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { type Replica, type ReplicasOptions, startBalancer, startReplicas } from './support/control-plane-replicas.ts';
import { type LastingAgent, startLastingAgent } from './support/lasting-agent.ts';

const folder = postgresFolder();

/** Time for all that a busy machine makes slow, in milliseconds. */
const limitMs = 120_000;

/** Number of commands during which processes are killed. */
const count = 1000;

interface Plane {
  server: PostgresServer;
  replicas: Replica[];
  port: number;
  api: string;
}

interface World extends Plane {
  agent: LastingAgent;
}

/** PostgreSQL, and three replicas behind a balancer. */
async function startPlane(t: ExecutionContext, bin: string, options: ReplicasOptions = {}): Promise<Plane> {
  const server = await startPostgres(bin);
  t.teardown(() => server.close());
  const files = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(files, { recursive: true, force: true }));
  const replicas = await startReplicas(3, await server.createDatabase(), files, options);
  t.teardown(() => Promise.all(replicas.map((replica) => replica.kill())));
  const balancer = await startBalancer(replicas.map(({ port }) => port));
  t.teardown(() => balancer.close());
  return { server, replicas, port: balancer.port, api: `http://127.0.0.1:${balancer.port}/api` };
}

/** The same with an agent. */
async function startWorld(t: ExecutionContext, bin: string, options: ReplicasOptions = {}): Promise<World> {
  const plane = await startPlane(t, bin, options);
  const agent = startLastingAgent('edge-1', `ws://127.0.0.1:${plane.port}/agents`);
  t.teardown(() => agent.close());
  await eventually('the agent is connected', async () => (await connectedAgents(plane.api)) === 1, limitMs);
  return { ...plane, agent };
}

/** Returns the number of agents that are connected. */
async function connectedAgents(api: string): Promise<number> {
  const response = await fetch(`${api}/agents`).catch(() => undefined);
  if (response?.status !== 200) return 0;
  const { agents } = (await response.json()) as { agents: { connected: boolean }[] };
  return agents.filter(({ connected }) => connected).length;
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
  await eventually('the agent is connected', async () => (await connectedAgents(api)) === 1, limitMs);
  const took = performance.now() - killed;
  t.log(`the agent is back ${Math.round(took)} ms after the leader was killed`);
  t.true(took < 15_000);
  await sending;
  await eventually('all were performed', () => agent.performed.size === keys.length + 1, limitMs);
  agent.release();
  checkEvents(t, [...(await pMap(keys, (key) => eventsOf(api, key), { concurrency: 16 })), await following]);
};

/** Kills the replica that leads, and waits until another one does. */
async function killLeader(replicas: readonly Replica[]): Promise<void> {
  await (await leaderOf(replicas))?.kill();
  await eventually('another replica leads', async () => (await leaderOf(replicas)) !== undefined, limitMs);
}

const rolloutTitle = 'a rollout continues when two leaders are killed during it, and upgrades no cluster twice';
const runRollout = async (t: ExecutionContext, bin: string) => {
  t.timeout(4 * limitMs, 'processes start slowly on a busy machine');
  const { replicas, port, api } = await startPlane(t, bin);
  const fleet = fleetOf(6);
  // from the second wave on, updates run until the leader was killed
  const isWaiting = new Set<string>();
  const opened = Promise.withResolvers<undefined>();
  for (const [agentId, cluster] of fleet) {
    const agent = startLastingAgent(agentId, `ws://127.0.0.1:${port}/agents`, async (key, type, payload) => {
      const isHeld = type === 'install_release' && [...fleet.values()].some(({ chart }) => chart === 'new');
      const result = cluster.perform(key, type, payload);
      if (isHeld) {
        isWaiting.add(agentId);
        await opened.promise;
      }
      return result;
    });
    t.teardown(() => agent.close());
  }
  await eventually('all agents are connected', async () => (await connectedAgents(api)) === fleet.size, limitMs);
  const started = await fetch(`${api}/rollouts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ id: 'web', agents: ['edge-*'], payload: { releaseName: 'web', namespace: 'shop', chartName: 'new' } },
      ...{ soak: false, waves: [{ size: 1 }, { size: 2 }, {}], concurrency: 2 },
    }),
  });
  t.is(started.status, 202, await started.text());
  await eventually('two clusters of the second wave update', () => isWaiting.size === 2, limitMs);
  await killLeader(replicas);
  opened.resolve(undefined); // their results arrive at the second leader, which ends with some of them
  await eventually('the last wave has begun', () => upgradesOf(fleet).filter((count) => count > 0).length > 3, limitMs);
  await killLeader(replicas);
  const phaseOf = async () => {
    const response = await fetch(`${api}/rollouts/web`).catch(() => undefined);
    return ((await response?.json().catch(() => undefined)) as { phase?: string } | undefined)?.phase;
  };
  await eventually('the rollout has succeeded', async () => (await phaseOf()) === 'succeeded', limitMs);
  t.deepEqual(upgradesOf(fleet), [1, 1, 1, 1, 1, 1]);
};

/** Returns how often each cluster was upgraded. */
function upgradesOf(fleet: Fleet): number[] {
  return Array.from(fleet.values(), ({ revisions }) => revisions.filter(({ chart }) => chart === 'new').length);
}

for (const [name, runTest] of [
  [title, run],
  [relayTitle, runRelayed],
  [rolloutTitle, runRollout],
] as const) {
  if (folder === undefined) test.skip(`${name} (PostgreSQL is not installed)`, (t) => t.pass());
  else test.serial(name, runTest, folder);
}
