import test from 'ava';
import { createMemoryJournal } from '../../src/journal/memory.ts';

test('a memory journal is not durable', (t) => t.false(createMemoryJournal().durable));

test('adds a new key, and returns the entry of a known one', async (t) => {
  const journal = createMemoryJournal();
  t.is(await journal.accept('k', 'f'), undefined);
  t.deepEqual(await journal.accept('k', 'other'), { key: 'k', fingerprint: 'f' });
});

test('keeps the outcome of a finished command', async (t) => {
  const journal = createMemoryJournal();
  await journal.accept('k', 'f');
  await journal.finish('k', 'done');
  t.deepEqual(await journal.accept('k', 'f'), { key: 'k', fingerprint: 'f', outcome: 'done' });
});

test('rejects finishing an unknown command, or a command twice', async (t) => {
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

test('forgets the oldest finished command when there are too many, never a running one', async (t) => {
  t.deepEqual(await knownKeys(2, 1000), ['running', 'b', 'c']);
});

test('forgets the oldest finished command when outcomes are too long', async (t) => {
  t.deepEqual(await knownKeys(100, 10), ['running', 'c']);
});
