import { setTimeout as sleep } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import type { CommandEvent, SentCommand } from '../../src/control-plane/index.ts';
import { crashWorld, kill, statuses, type CrashWorld } from '../bin/support/crash-world.ts';
import { agentId, answerOf } from '../bin/support/world.ts';

const test = anyTest as TestFn<{ world: CrashWorld }>;
const shared = Promise.withResolvers<CrashWorld>();
let namespaces = 0;

test.before(async () => shared.resolve(await crashWorld()));
test.beforeEach(async (t) => {
  t.context.world = await shared.promise;
});
test.after.always(async () => (await shared.promise).close());

type Send = (world: CrashWorld, namespace: string) => SentCommand;

const chart = { releaseName: 'web', chartName: 'web' };

const install: Send = ({ plane }, namespace) => plane.install(agentId, { ...chart, namespace });
const upgrade: Send = ({ plane }, namespace) =>
  plane.upgrade(agentId, { ...chart, namespace, values: 'greeting: good morning\n' });
const failing: Send = ({ plane }, namespace) =>
  plane.upgrade(agentId, { ...chart, namespace, values: 'fails: true\n' });
const rollback: Send = ({ plane }, namespace) => plane.rollback(agentId, { releaseName: 'web', namespace });
const uninstall: Send = ({ plane }, namespace) => plane.uninstall(agentId, { releaseName: 'web', namespace });

/** Returns random numbers from 0 up to 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events: CommandEvent[] = [];
  for await (const event of command) events.push(event);
  return events;
}

const survives = test.macro({
  async exec(t, before: readonly Send[], interrupted: Send) {
    const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
    t.log(`SEED=${seed}`);
    t.timeout(600_000, 'processes start slowly on a busy machine');
    const random = randomOf(seed);
    const { world } = t.context;
    const [first, second] = [`whole-${++namespaces}`, `killed-${namespaces}`];
    let child = await world.start();
    for (const namespace of [first, second]) {
      for (const send of before) await answerOf(send(world, namespace));
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
test.serial('an upgrade that fails and is rolled back', survives, [install], failing);
