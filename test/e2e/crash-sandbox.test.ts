import { setTimeout as sleep } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import type { CommandEvent, SentCommand } from '../../src/control-plane/index.ts';
import { type CrashWorld, crashWorld, kill, statuses } from '../bin/support/crash-world.ts';
import { agentId, answerOf } from '../bin/support/world.ts';
import { randomOf, seedOf } from '../support/random.ts';

const test = anyTest as TestFn<{ world: CrashWorld }>;
const shared = Promise.withResolvers<CrashWorld>();
let namespaces = 0;

test.before(async () => shared.resolve(await crashWorld()));
test.beforeEach(async (t) => {
  t.context.world = await shared.promise;
});
test.afterEach.always(({ context }) => context.world.killAll());
test.after.always(async () => (await shared.promise).close());

type Send = (world: CrashWorld, namespace: string) => SentCommand;

/** The plans that were made, by namespace. */
const plans = new Map<string, string>();

const chart = { releaseName: 'web', chartName: 'web' };

const install: Send = ({ plane }, namespace) => plane.install(agentId, { ...chart, namespace });
const upgrade: Send = ({ plane }, namespace) =>
  plane.upgrade(agentId, { ...chart, namespace, values: 'greeting: good morning\n' });
const failing: Send = ({ plane }, namespace) =>
  plane.upgrade(agentId, { ...chart, namespace, values: 'fails: true\n' });
const rollback: Send = ({ plane }, namespace) => plane.rollback(agentId, { releaseName: 'web', namespace });
const planned: Send = ({ plane }, namespace) => plane.applyPlan(agentId, { plan: plans.get(namespace) ?? '' });
const uninstall: Send = ({ plane }, namespace) => plane.uninstall(agentId, { releaseName: 'web', namespace });

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events: CommandEvent[] = [];
  for await (const event of command) events.push(event);
  return events;
}

async function makePlan({ plane }: CrashWorld, namespace: string): Promise<void> {
  const values = 'greeting: good morning\n';
  const { plan } = await answerOf(plane.plan(agentId, { ...chart, action: 'upgrade', namespace, values }));
  plans.set(namespace, plan);
}

const survives = test.macro({
  async exec(t, before: readonly Send[], interrupted: Send) {
    const seed = seedOf(process.env);
    t.log(`SEED=${seed}`);
    t.timeout(600_000, 'processes start slowly on a busy machine');
    const random = randomOf(seed);
    const { world } = t.context;
    const [first, second] = [`whole-${++namespaces}`, `killed-${namespaces}`];
    let child = await world.start();
    for (const namespace of [first, second]) {
      for (const send of before) await answerOf(send(world, namespace));
      if (interrupted === planned) await makePlan(world, namespace);
    }
    const whole = interrupted(world, first);
    const wholeEvents = await eventsOf(whole);
    const count = wholeEvents.filter(({ type }) => type === 'status').length;

    const command = interrupted(world, second);
    for (let kills = 0; kills < 2 && command.state !== 'done'; kills++) {
      await statuses(command, Math.floor((random() + kills) * (count / 2)));
      await sleep(random() * 20);
      await kill(world, child);
      child = await world.start();
    }
    const result = await command.result;
    const events = await eventsOf(command);
    t.is(result.ok, (await whole.result).ok);
    t.is(events.filter(({ type }) => type === 'result').length, 1);
    t.true(events.some(({ type, payload }) => type === 'accepted' && 'resumed' in payload));
    t.deepEqual(await world.left(second), await world.left(first));
    t.deepEqual(world.jobs(second), world.jobs(first), 'each hook runs once');
    await kill(world, child);
  },
  title: (name) => `${name ?? ''}: the next process continues after SIGKILL`,
});

test.serial('install', survives, [], install);
test.serial('upgrade', survives, [install], upgrade);
test.serial('rollback', survives, [install, upgrade], rollback);
test.serial('uninstall', survives, [install], uninstall);
test.serial('a plan of an upgrade', survives, [install], planned);
test.serial('an upgrade that fails and is rolled back', survives, [install], failing);

test.serial('a plan outlives SIGKILL, and the next process performs it', async (t) => {
  t.timeout(300_000, 'processes start slowly on a busy machine');
  const { world } = t.context;
  const namespace = `planned-${++namespaces}`;
  const child = await world.start();
  await answerOf(install(world, namespace));
  const values = 'greeting: good morning\n';
  const planned = await answerOf(world.plane.plan(agentId, { ...chart, action: 'upgrade', namespace, values }));
  await kill(world, child);
  const next = await world.start();
  const applied = await answerOf(world.plane.applyPlan(agentId, { plan: planned.plan }));
  t.like(applied.release, { version: 2, info: { status: 'deployed' } });
  const live = await world.cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'web' });
  t.like(live, { data: { greeting: 'good morning' } });
  await kill(world, next);
});
