import test from 'ava';
import { ChangeNotice, Notice } from '../../src/async/index.ts';

test('a notice ends all waits, and none that start later', async (t) => {
  const notice = new Notice();
  notice.give();
  const ended: string[] = [];
  const waits = ['a', 'b'].map(async (name) => {
    await notice.next();
    ended.push(name);
  });
  await Promise.resolve();
  t.deepEqual(ended, []);
  notice.give();
  await Promise.all(waits);
  t.deepEqual(ended, ['a', 'b']);
});

test('an abort ends a wait', async (t) => {
  const notice = new Notice();
  const controller = new AbortController();
  const wait = notice.next(controller.signal);
  controller.abort();
  await t.notThrowsAsync(wait);
  await t.notThrowsAsync(notice.next(controller.signal));
});

test('changes while the waiter is busy count as one', async (t) => {
  const notice = new ChangeNotice();
  notice.give();
  notice.give();
  await notice.next();
  let hasEnded = false;
  const wait = notice.next().then(() => (hasEnded = true));
  await new Promise(setImmediate);
  t.false(hasEnded);
  notice.give();
  t.true(await wait);
});
