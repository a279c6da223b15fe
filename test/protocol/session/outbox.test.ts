import test from 'ava';
import { Outbox } from '../../../src/protocol/session/outbox.ts';

interface Item {
  text: string;
  state?: string;
}

function outboxOf(maxReports: number, ...items: Item[]): Outbox<Item> {
  const outbox = new Outbox<Item>({
    lengthOf: ({ text }) => text.length,
    stateOf: ({ state }) => state,
    merge: (older, newer) => ({ ...newer, text: older.text + newer.text }),
    maxReports,
  });
  for (const item of items) outbox.push(item);
  return outbox;
}

function takeAll(outbox: Outbox<Item>): string[] {
  const taken = [];
  for (let entry = outbox.take(); entry; entry = outbox.take()) taken.push(`${entry.seq} ${entry.item.text}`);
  return taken;
}

test('keeps items in their order until they are confirmed', (t) => {
  const outbox = outboxOf(9, { text: 'a' }, { text: 'b' }, { text: 'c' });
  t.deepEqual(takeAll(outbox), ['1 a', '2 b', '3 c']);
  outbox.confirm(2);
  outbox.rewind();
  t.deepEqual(takeAll(outbox), ['3 c']);
  t.is(outbox.confirmed, 2);
  outbox.confirm(3);
  t.true(outbox.isEmpty);
});

test('an item that was never sent cannot be confirmed', (t) => {
  const outbox = outboxOf(9, { text: 'a' }, { text: 'b' });
  t.is(outbox.take()?.seq, 1);
  outbox.confirm(9);
  t.deepEqual(takeAll(outbox), ['2 b']);
});

test('merges the oldest reports of a state into the next one, and nothing else', (t) => {
  const outbox = outboxOf(
    3,
    { text: 'x1', state: 'x' },
    { text: 'result' },
    { text: 'y1', state: 'y' },
    { text: 'x2', state: 'x' },
    { text: 'x3', state: 'x' },
    { text: 'x4', state: 'x' },
  );
  t.deepEqual(takeAll(outbox), ['2 result', '3 y1', '5 x1x2x3', '6 x4']);
  t.is(outbox.merged, 2);
});

test('keeps the newest report of each state, however many there are', (t) => {
  const outbox = outboxOf(1, { text: 'x', state: 'x' }, { text: 'y', state: 'y' }, { text: 'z', state: 'z' });
  t.is(outbox.count, 3);
  t.is(outbox.merged, 0);
});

test('merges reports that were sent but not confirmed, and sends the others again in order', (t) => {
  const outbox = outboxOf(2, { text: 'x1', state: 'x' }, { text: 'x2', state: 'x' });
  t.deepEqual(takeAll(outbox), ['1 x1', '2 x2']);
  outbox.push({ text: 'x3', state: 'x' });
  t.deepEqual(takeAll(outbox), ['3 x3']);
  outbox.rewind();
  t.deepEqual(takeAll(outbox), ['2 x1x2', '3 x3']);
});

test('counts the length of what it keeps', (t) => {
  const outbox = outboxOf(1, { text: 'x1', state: 'x' }, { text: 'long text' }, { text: 'x2', state: 'x' });
  t.is(outbox.length, 'long textx1x2'.length);
  takeAll(outbox);
  outbox.confirm(3);
  t.is(outbox.length, 0);
  outbox.push({ text: 'late' });
  outbox.clear();
  t.is(outbox.length, 0);
});

test('drops the oldest of the items that may be dropped, and nothing else, if they are too many', (t) => {
  const outbox = new Outbox<Item>({
    lengthOf: ({ text }) => text.length,
    isDroppable: ({ text }) => text.startsWith('log'),
    maxDroppable: 8,
  });
  for (const text of ['log1', 'result', 'log2', 'log3']) outbox.push({ text });
  t.deepEqual(takeAll(outbox), ['2 result', '3 log2', '4 log3']);
  outbox.push({ text: 'log4' });
  t.deepEqual(takeAll(outbox), ['5 log4']);
  t.is(outbox.length, 'resultlog3log4'.length);
  outbox.confirm(5);
  t.true(outbox.isEmpty);
  for (const text of ['log5', 'log6']) outbox.push({ text });
  t.deepEqual(takeAll(outbox), ['6 log5', '7 log6']);
});
