import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { agentOf } from '../../src/compose/agent-of.ts';
import { recordingLog } from '../agent/support/log.ts';
import { type CrashCluster, crashCluster } from '../bin/support/crash-cluster.ts';
import { eventually } from '../support/eventually.ts';
import { randomOf, seedOf } from '../support/random.ts';
import { type Moment, moments } from './support/moments.ts';
import { type PlaneProcess, planeProcess } from './support/plane-process.ts';

// `npm run test:kills` kills the control plane at all moments in the life of each command

const isWhole = process.env['KILLS'] === 'all';

/** Time for what processes do that start slowly on a busy machine, in milliseconds. */
const startMs = 120_000;

/** Number of random moments at which each command is interrupted, in the whole matrix. */
const randomMoments = 10;

const chart = { releaseName: 'web', chartName: 'web' };

const verbs = [
  ['install_release', chart],
  // a payload that is not stored in the record of its command
  ['upgrade_release', { ...chart, values: `greeting: good morning # ${'a'.repeat(2000)}\n` }],
  ['rollback_release', { releaseName: 'web' }],
  ['uninstall_release', { releaseName: 'web' }],
] as const;

/** When the control plane is killed: at a moment, or after a part of the time of the command. */
type Kill = Moment | number;

interface World extends CrashCluster {
  plane: PlaneProcess;
}

/** A cluster, an agent in this process, and a control plane in another one. */
async function startWorld(t: ExecutionContext): Promise<World> {
  const cluster = await crashCluster();
  t.teardown(() => cluster.close());
  const plane = await planeProcess(cluster.folder);
  t.teardown(() => plane.close());
  await plane.start();
  const agent = await agentOf({
    agentId: 'edge-1',
    cluster: { text: cluster.kubeconfig },
    controlPlaneUrl: `ws://127.0.0.1:${plane.port}`,
    localCharts: `${cluster.folder}/charts`,
    log: recordingLog().log,
    times: { backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 }, graceMs: 50_000, deliveryMs: 10_000 },
  });
  t.teardown(() => agent.stop());
  await eventually('the agent is connected', async () => (await plane.agents()).length > 0, startMs);
  return { ...cluster, plane };
}

/** Performs a command during which the control plane is killed, and returns what it has caused. */
async function perform(
  { plane, left, jobs }: World,
  [type, payload]: (typeof verbs)[number],
  namespace: string,
  { kill, took }: { kill?: Kill | undefined; took: number },
) {
  const key = `${namespace}-${type}`;
  const start = performance.now();
  if (typeof kill === 'string') plane.arm(key, kill);
  const sent = plane.send(key, type, { ...payload, namespace });
  if (typeof kill === 'number') {
    await sleep(kill * took);
    plane.kill();
  }
  if (kill !== undefined) {
    await plane.killed();
    await plane.start();
  }
  await sent;
  const events = await plane.events(key);
  await eventually(
    'the result is delivered',
    async () => (await plane.deliveries()).some((delivery) => delivery.key === key),
    startMs,
  );
  return { key, events, effect: [await left(namespace), jobs(namespace)], took: performance.now() - start };
}

type Performed = Awaited<ReturnType<typeof perform>>;

/** Checks that a command has arrived as a whole, and once. */
function checkEvents(t: ExecutionContext, { events }: Performed, message: string) {
  t.deepEqual(
    events.map(({ id }) => Number(id)),
    events.map((_, index) => index + 1),
    message,
  );
  t.is(events.filter(({ event }) => event === 'result').length, 1, message);
  t.like(JSON.parse(events.at(-1)?.data ?? ''), { ok: true }, message);
  const numbers = events
    .filter(({ event }) => event === 'status')
    .map(({ data }) => (JSON.parse(data) as { seq: number }).seq);
  t.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    message,
  );
}

/** Checks that each result was recorded once, and delivered in order. */
async function checkResults(t: ExecutionContext, { plane }: World, keys: readonly string[]) {
  const deliveries = await plane.deliveries();
  const ids = deliveries.map(({ id }) => id);
  for (const [index, { process, id }] of deliveries.entries()) {
    const before = deliveries[index - 1];
    // the first result that a process delivers may be the last one of the process before
    const isRepeated = before?.id === id && before.process !== process;
    t.true(isRepeated || id === (before?.id ?? 0) + 1, ids.join());
  }
  t.deepEqual([...new Set(deliveries.map(({ key }) => key))], keys);
  plane.kill();
  await plane.killed();
  const database = new DatabaseSync(plane.file, { readOnly: true });
  t.teardown(() => database.close());
  const rows = database
    .prepare(
      `SELECT key, state, commands.payload, result_number AS number, count(events.id) AS results FROM commands
       LEFT JOIN events ON command = position AND events.type = 'result' GROUP BY position ORDER BY result_number`,
    )
    .all();
  t.deepEqual(
    rows.map((row) => ({ ...row })),
    keys.map((key, index) => ({ key, state: 'done', payload: null, number: index + 1, results: 1 })),
  );
  t.deepEqual(database.prepare("SELECT id FROM entries WHERE collection = 'payload'").all(), []);
}

/**
 * Returns the kills of each round, in which each verb has one. Without the whole matrix, each run
 * of the tests has others.
 */
function roundsOf(random: () => number): Kill[][] {
  const oneOf = (): Kill => moments[Math.floor(random() * (moments.length + 1))] ?? random();
  if (!isWhole) return [verbs.map(oneOf)];
  return [
    ...moments.map((moment) => verbs.map(() => moment)),
    ...Array.from({ length: randomMoments }, () => verbs.map(random)),
  ];
}

test('nothing is lost and nothing happens twice when the control plane is killed', async (t) => {
  t.timeout(isWhole ? 60 * 60_000 : 180_000, 'processes start slowly on a busy machine');
  const seed = seedOf(process.env);
  t.log(`SEED=${seed}`);
  const world = await startWorld(t);
  const keys: string[] = [];
  const whole: Performed[] = [];
  for (const verb of verbs) {
    const performed = await perform(world, verb, 'whole', { took: 0 });
    whole.push(performed);
    keys.push(performed.key);
    checkEvents(t, performed, performed.key);
  }
  for (const [round, kills] of roundsOf(randomOf(seed)).entries()) {
    for (const [index, verb] of verbs.entries()) {
      const [kill, reference] = [kills[index], whole[index]];
      const performed = await perform(world, verb, `killed-${round}`, { kill, took: reference?.took ?? 0 });
      keys.push(performed.key);
      const message = `${verb[0]}, killed ${kill ?? ''}`;
      checkEvents(t, performed, message);
      t.deepEqual(performed.effect, reference?.effect, message);
    }
  }
  await checkResults(t, world, keys);
});
