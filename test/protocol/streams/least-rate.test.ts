import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { receivedInTime, takenInTime } from '../../../src/protocol/streams/least-rate.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const kibibyte = 1024;
const tooSlow = () => new Error('too slow');

/** Yields chunks, each after milliseconds. */
async function* sending(clock: FakeClock, chunks: readonly (readonly [milliseconds: number, bytes: number])[]) {
  for (const [milliseconds, bytes] of chunks) {
    await nextTurn();
    clock.advance(milliseconds);
    yield new Uint8Array(bytes);
  }
}

async function received(clock: FakeClock, source: AsyncIterable<Uint8Array>): Promise<number | string> {
  let bytes = 0;
  try {
    for await (const chunk of receivedInTime(source, { tooSlow, clock })) bytes += chunk.length;
    return bytes;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

test('a sender has 30 s for each 64 KiB', async (t) => {
  const clock = new FakeClock();
  const steady = Array.from({ length: 40 }, () => [7000, 16 * kibibyte] as const);
  t.is(await received(clock, sending(clock, steady)), 640 * kibibyte);
  t.is(clock.timers, 0);
});

test('a sender that dribbles is cut off after 30 s, however often it sends', async (t) => {
  const clock = new FakeClock();
  const dribble = Array.from({ length: 100_000 }, () => [100, 1] as const);
  t.is(await received(clock, sending(clock, dribble)), 'too slow');
  t.true(clock.now() <= 30_100);
  t.is(clock.timers, 0);
});

test('a sender that sends nothing more is cut off, although its source never ends', async (t) => {
  const clock = new FakeClock();
  async function* silent(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100 * kibibyte);
    clock.advance(29_000);
    void nextTurn().then(() => clock.advance(1000));
    await new Promise(() => undefined);
  }
  t.is(await received(clock, silent()), 'too slow');
});

test('an empty source, a failing one and one that ends late keep no timer', async (t) => {
  const clock = new FakeClock();
  t.is(await received(clock, sending(clock, [])), 0);
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
    await Promise.reject(new Error('broken'));
  }
  t.is(await received(clock, failing()), 'broken');
  t.is(clock.timers, 0);
});

test('time in which no one reads does not count', async (t) => {
  const clock = new FakeClock();
  const chunks = Array.from({ length: 5 }, () => [1000, kibibyte] as const);
  let bytes = 0;
  for await (const chunk of receivedInTime(sending(clock, chunks), { tooSlow, clock })) {
    bytes += chunk.length;
    clock.advance(60_000); // a slow disk
  }
  t.is(bytes, 5 * kibibyte);
});

test('a reader that does not read is reported, and one that does is not', async (t) => {
  const clock = new FakeClock();
  const errors: Error[] = [];
  const chunks = Array.from({ length: 5 }, () => [0, 64 * kibibyte] as const);
  const taken = takenInTime(sending(clock, chunks), (error) => errors.push(error), { tooSlow, clock });
  await taken.next();
  for (let count = 0; count < 3; count++) {
    clock.advance(29_999);
    await taken.next();
  }
  t.deepEqual(errors, []);
  clock.advance(30_000);
  t.is(errors.length, 1);
  await taken.return(undefined);
  t.is(clock.timers, 0);
});
