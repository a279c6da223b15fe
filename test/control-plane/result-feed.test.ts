import test from 'ava';
import { ResultFeed } from '../../src/control-plane/result-feed.ts';
import type { TrackedCommand } from '../../src/control-plane/tracked-command.ts';

interface Ended {
  number: number;
  sentBy?: string;
  at?: number;
  bytes?: number;
}

/** Returns the parts of a command that a feed uses. */
function ended({ number, sentBy, at = 0, bytes = 1 }: Ended) {
  const record = { sentBy, bytes, end: { number, at, isDelivered: false } };
  const command = {
    ...{ key: `k${number}`, agentId: 'a', type: 'x', record },
    outcome: () => Promise.resolve({ ok: true }),
    markDelivered: () => (record.end.isDelivered = true),
  };
  return command as unknown as TrackedCommand;
}

/** Returns a feed with commands in the order of their numbers, and the keys that it forgot. */
function feedOf(commands: readonly Omit<Ended, 'number'>[], retention = {}) {
  const forgotten: string[] = [];
  const limits = { commands: 10, bytes: Infinity, milliseconds: Infinity, ...retention };
  const feed = new ResultFeed(limits, ({ key }) => forgotten.push(key));
  const all = commands.map((one, index) => ended({ ...one, number: index + 1 }));
  for (const command of all) feed.add(command, command.record.end?.at ?? 0);
  return { feed, forgotten, all };
}

/** Returns the ids of the results after one that are there now. */
async function idsAfter(feed: ResultFeed, id: number | undefined): Promise<number[]> {
  const ids: number[] = [];
  for await (const outcome of feed.after(id)) {
    ids.push(outcome.id);
    if (outcome.id === feed.newest) break;
  }
  return ids;
}

const times = (count: number, one: Omit<Ended, 'number'>) => Array.from({ length: count }, () => one);

test('many commands of one sender do not push out those of others', async (t) => {
  const { feed, forgotten } = feedOf([
    ...[{ sentBy: 'ann' }, { sentBy: 'bob' }, {}],
    ...times(50, { sentBy: 'ci' }),
    { sentBy: 'ann' },
  ]);
  t.is(forgotten.length, 44);
  t.deepEqual(forgotten.slice(0, 2), ['k4', 'k5']);
  t.deepEqual(await idsAfter(feed, 0), [1, 2, 3, 48, 49, 50, 51, 52, 53, 54]);
  t.deepEqual(await idsAfter(feed, 20), [48, 49, 50, 51, 52, 53, 54]);
});

test('a sender under many names does not push out those who have sent less, and the newest result stays', async (t) => {
  const { feed, forgotten } = feedOf([
    ...times(3, { sentBy: 'ann' }),
    ...Array.from({ length: 100 }, (_, index) => ({ sentBy: `x${index}` })),
  ]);
  t.is(forgotten.length, 93);
  t.is((await idsAfter(feed, 0)).length, 10);
  t.is((await idsAfter(feed, 0)).at(-1), 103);
  t.deepEqual(feedOf([{ bytes: 5, sentBy: 'ann' }, { bytes: 500 }], { bytes: 100 }).forgotten, ['k1']);
});

test('large results push out those of their own sender first', (t) => {
  const { forgotten } = feedOf([{ sentBy: 'ann', bytes: 40 }, ...times(3, { sentBy: 'ci', bytes: 30 })], {
    bytes: 100,
  });
  t.deepEqual(forgotten, ['k2']);
});

test('results that are too old are forgotten, whatever their sender', (t) => {
  const { forgotten } = feedOf([{ sentBy: 'ann', at: 1 }, { at: 2 }, { sentBy: 'ci', at: 103 }], { milliseconds: 100 });
  t.deepEqual(forgotten, ['k1', 'k2']);
});

test('results before a gap are marked as delivered, and no result is returned twice', async (t) => {
  const { feed, all } = feedOf([{ sentBy: 'ann' }, ...times(20, { sentBy: 'ci' })]);
  feed.markDelivered(15);
  t.deepEqual(
    all.flatMap(({ record: { end } }) => (end?.isDelivered === true ? end.number : [])),
    [1, 13, 14, 15],
  );
  t.deepEqual(await idsAfter(feed, undefined), [16, 17, 18, 19, 20, 21]);
});
