import test from 'ava';
import type { Garbage } from '../../src/threads/garbage.ts';
import { collectWhenIdle } from '../../src/threads/idle-collection.ts';

// the timers of a collection do not keep the process alive
const alive = setInterval(() => undefined, 1000);
test.after.always(() => clearInterval(alive));

const atOnce = <Result>(command: () => Promise<Result>) => command();

/** Returns a collector, and a promise for each of its calls. */
function collector() {
  const collected: Garbage[] = [];
  let wake: () => void = () => undefined;
  return {
    collected,
    collectGarbage: (garbage: Garbage) => {
      collected.push(garbage);
      wake();
    },
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

test('collects garbage after the start, and after the last command', async (t) => {
  const { collected, collectGarbage, next } = collector();
  const idle = collectWhenIdle(atOnce, collectGarbage, 20);
  await next();
  const second = next();
  t.is(await idle.run(() => Promise.resolve('answer')), 'answer');
  await second;
  t.deepEqual(collected, ['all-and-shrink', 'all-and-shrink']);
  idle.stop();
});

test('collects nothing while a command runs', async (t) => {
  const { collected, collectGarbage, next } = collector();
  const idle = collectWhenIdle(atOnce, collectGarbage, 20);
  const gate = Promise.withResolvers<undefined>();
  const long = idle.run(() => gate.promise);
  await idle.run(() => new Promise<void>((resolve) => setTimeout(resolve, 100)));
  t.deepEqual(collected, []);
  const end = next();
  gate.resolve(undefined);
  await long;
  await end;
  t.is(collected.length, 1);
  idle.stop();
});

test('passes on the error of a command', async (t) => {
  const idle = collectWhenIdle(atOnce, () => undefined, 20);
  await t.throwsAsync(
    idle.run(() => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  );
  idle.stop();
});
