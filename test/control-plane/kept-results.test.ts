import { mock } from 'node:test';
import test from 'ava';
import { CommandIndex } from '../../src/control-plane/command-index.ts';
import { type CommandStore, createMemoryStore } from '../../src/control-plane/index.ts';
import { defaultControlPlaneLimits } from '../../src/control-plane/limits.ts';
import { silentLog } from '../../src/control-plane/logger.ts';
import { commandTable } from '../../src/protocol/commands/index.ts';
import { batch, record } from './support/stored.ts';

mock.timers.enable({ apis: ['setTimeout'] });

const [second, minute] = [1000, 60_000];
const hour = 60 * minute;

/** Returns the commands of a control plane that keeps them for an hour, and its clock. */
async function opened(store: CommandStore, start = 0) {
  let time = start;
  const index = new CommandIndex({
    ...{ table: commandTable, store, limits: defaultControlPlaneLimits, log: silentLog, now: () => new Date(time) },
    onResult: () => undefined,
    cancel: () => Promise.resolve(false),
  });
  await index.open();
  return {
    index,
    keys: () => index.newestFirst().map(({ key }) => key),
    pass: (milliseconds: number) => {
      time += milliseconds;
      mock.timers.tick(milliseconds);
    },
    /** Ends a new command, and returns the number of its result. */
    async end(key: string) {
      const command = index.add(record(key), () => undefined);
      await command.stored;
      command.fail('internal', 'x');
      await index.stored();
      return command.record.end?.number;
    },
  };
}

/** Returns a store with commands that have ended at some times, in milliseconds. */
async function storeWith(times: readonly number[]): Promise<CommandStore> {
  const store = createMemoryStore({ retention: { commands: 1000, milliseconds: hour } });
  const commands = times.map((at, index) =>
    record(`k${index + 1}`, { state: 'done', end: { number: index + 1, at, isDelivered: true } }),
  );
  await store.write(batch({ commands }));
  return store;
}

const storedKeys = async (store: CommandStore) => (await store.open()).commands.map(({ key }) => key);

test.serial('results that are too old are forgotten while no command ends, and none before', async (t) => {
  const store = await storeWith([0, 30 * minute, 0]);
  const { index, keys, pass } = await opened(store, 30 * minute);
  pass(30 * minute);
  t.deepEqual(keys(), ['k3', 'k2', 'k1']);
  pass(minute);
  await index.stored();
  t.deepEqual(keys(), ['k2'], 'also one after another that ended later by a clock that was set back');
  t.deepEqual(await storedKeys(store), ['k2']);
  pass(29 * minute - second);
  t.deepEqual(keys(), ['k2']);
  pass(minute + second);
  await index.stored();
  t.deepEqual(await storedKeys(store), []);
  await index.close();
});

test.serial('many results that are too old are forgotten in parts, each when the one before is stored', async (t) => {
  const store = await storeWith(Array.from({ length: 250 }, () => 0));
  const { index, keys, pass } = await opened(store);
  pass(hour + minute);
  t.is(keys().length, 150);
  pass(minute);
  t.is(keys().length, 150, 'the next part waits for the store, however long that takes');
  await index.stored();
  await index.stored();
  await index.stored();
  t.is(keys().length, 0);
  t.deepEqual(await storedKeys(store), []);
  await index.close();
});

test.serial('numbers of results are not used again when all results are forgotten', async (t) => {
  const store = await storeWith([0, 0, 0]);
  const first = await opened(store);
  first.pass(hour + minute);
  await first.index.stored();
  t.deepEqual(first.keys(), []);
  await first.index.close();
  const next = await opened(store, 2 * hour);
  t.is(next.index.results.newest, 3);
  t.is(await next.end('k4'), 4);
  next.pass(hour + minute);
  t.deepEqual(next.keys(), []);
  t.is(await next.end('k5'), 5);
  await next.index.close();
});

test.serial('a control plane that is closed forgets nothing more', async (t) => {
  const store = await storeWith(Array.from({ length: 250 }, () => 0));
  const { index, pass } = await opened(store);
  pass(hour + minute);
  await index.close();
  const { length } = await storedKeys(store);
  t.is(length, 150);
  pass(hour);
  await new Promise(setImmediate);
  t.is((await storedKeys(store)).length, length);
});
