import test from 'ava';
import { createLargeTexts } from '../../src/workers/large-texts.ts';

const never = new AbortController().signal;

/** Returns a command that takes its turn and ends at a call. */
function command(large: ReturnType<typeof createLargeTexts>, signal = never) {
  const started = Promise.withResolvers<undefined>();
  const end = Promise.withResolvers<undefined>();
  const ended = large.run(async () => {
    await large.waitForTurn(signal);
    started.resolve(undefined);
    await end.promise;
    return large.mayBeLarge();
  });
  return { started: started.promise, end: () => end.resolve(undefined), ended };
}

test('one command at a time has large texts, in the order in which they asked', async (t) => {
  const order: string[] = [];
  const large = createLargeTexts(() => order.push('after'));
  const [first, second, third] = [command(large), command(large), command(large)];
  void second.started.then(() => order.push('second'));
  void third.started.then(() => order.push('third'));
  await first.started;
  t.deepEqual(order, []);
  first.end();
  t.true(await first.ended);
  await second.started;
  second.end();
  await third.started;
  third.end();
  await third.ended;
  t.deepEqual(order, ['after', 'second', 'after', 'third']);
});

test('a command without large texts does not wait', async (t) => {
  const large = createLargeTexts();
  const first = command(large);
  await first.started;
  t.is(await large.run(() => Promise.resolve(large.mayBeLarge())), false);
  first.end();
  await first.ended;
});

test('all large texts of a command share its turn', async (t) => {
  const large = createLargeTexts();
  const first = command(large);
  const both = large.run(() => Promise.all([large.waitForTurn(never), large.waitForTurn(never)]));
  first.end();
  await both;
  await t.notThrowsAsync(large.run(() => large.waitForTurn(never)));
});

test('a command gives up waiting when its signal aborts', async (t) => {
  const large = createLargeTexts();
  const first = command(large);
  const controller = new AbortController();
  const second = command(large, controller.signal);
  controller.abort(new Error('cancelled'));
  await t.throwsAsync(second.ended, { message: 'cancelled' });
  first.end();
  await first.ended;
  await t.notThrowsAsync(large.run(() => large.waitForTurn(never)));
});

test('a command that ends while one of its texts waits does not keep the turn', async (t) => {
  const large = createLargeTexts();
  const first = command(large);
  await first.started;
  const texts: Promise<void>[] = [];
  const second = large.run(() => {
    texts.push(large.waitForTurn(never));
    return Promise.all([...texts, Promise.reject(new Error('the other text fails'))]);
  });
  const third = command(large);
  await t.throwsAsync(second, { message: 'the other text fails' });
  await t.throwsAsync(Promise.all(texts), { message: 'the command has ended' });
  first.end();
  await first.ended;
  await third.started;
  third.end();
  await third.ended;
});

test('a command that ends just when its turn comes does not keep it', async (t) => {
  const large = createLargeTexts();
  const texts: Promise<void>[] = [];
  const first = large.run(() => {
    texts.push(large.waitForTurn(never));
    throw new Error('the other text fails');
  });
  const late = t.throwsAsync(Promise.all(texts), { message: 'the command has ended' });
  await t.throwsAsync(first, { message: 'the other text fails' });
  await late;
  const second = command(large);
  await second.started;
  second.end();
  await second.ended;
});

test('there is no limit outside of a command', async (t) => {
  const large = createLargeTexts();
  const first = command(large);
  await first.started;
  t.true(large.mayBeLarge());
  await large.waitForTurn(never);
  first.end();
  await first.ended;
});
