import test from 'ava';
import { createMemoryJournal } from '../../src/journal/memory.ts';

test('a memory journal says that it is not durable', (t) => t.false(createMemoryJournal().durable));

test('a new key is entered, a known one is answered with its entry', async (t) => {
  const journal = createMemoryJournal();
  t.is(await journal.accept('k', 'f'), undefined);
  t.deepEqual(await journal.accept('k', 'other'), { key: 'k', fingerprint: 'f' });
});

test('the outcome of a finished command is kept', async (t) => {
  const journal = createMemoryJournal();
  await journal.accept('k', 'f');
  await journal.finish('k', 'done');
  t.deepEqual(await journal.accept('k', 'f'), { key: 'k', fingerprint: 'f', outcome: 'done' });
});

test('finishing what was never accepted, or twice, is an error', async (t) => {
  const journal = createMemoryJournal();
  await t.throwsAsync(journal.finish('k', 'done'), { message: /no running command has the key k/ });
  await journal.accept('k', 'f');
  await journal.finish('k', 'done');
  await t.throwsAsync(journal.finish('k', 'done'));
});

async function knownKeys(maxFinished: number, maxOutcomeLength: number): Promise<string[]> {
  const journal = createMemoryJournal({ maxFinished, maxOutcomeLength });
  await journal.accept('running', 'f');
  for (const key of ['a', 'b', 'c']) {
    await journal.accept(key, 'f');
    await journal.finish(key, '0123456789');
  }
  const known = [];
  for (const key of ['running', 'a', 'b', 'c']) if (await journal.accept(key, 'f')) known.push(key);
  return known;
}

test('beyond the number of commands the oldest finished one is forgotten, never a running one', async (t) => {
  t.deepEqual(await knownKeys(2, 1000), ['running', 'b', 'c']);
});

test('beyond the length of outcomes the oldest finished one is forgotten', async (t) => {
  t.deepEqual(await knownKeys(100, 10), ['running', 'c']);
});
