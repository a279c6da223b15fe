import test from 'ava';
import type { JournaledCommand } from '../../src/journal/journal.ts';
import { createMemoryJournal } from '../../src/journal/memory.ts';
import type { OperationState } from '../../src/operation/state/operation-state.ts';

const initialState: OperationState = {
  ...{ format: 1, id: 'b', verb: 'install', namespace: 'shop', releaseName: 'web', phase: 'main', step: 'history' },
  deadline: { at: 0, timeout: 1 },
};

const command = (key: string, fingerprint = 'f'): JournaledCommand => ({
  ...{ key, fingerprint, type: 'install_release', payload: '{}', isDurable: true, isAnonymous: false },
});

test('a memory journal is not durable', (t) => t.false(createMemoryJournal().durable));

test('adds a new key, and returns the entry of a known one', async (t) => {
  const journal = createMemoryJournal();
  t.is(await journal.accept(command('k')), undefined);
  t.deepEqual(await journal.accept(command('k', 'other')), { fingerprint: 'f' });
});

test('keeps the outcome of a finished command', async (t) => {
  const journal = createMemoryJournal();
  await journal.accept(command('k'));
  await journal.finish('k', 'done');
  t.deepEqual(await journal.accept(command('k')), { fingerprint: 'f', outcome: 'done' });
});

test('rejects finishing an unknown command, or a command twice', async (t) => {
  const journal = createMemoryJournal();
  await t.throwsAsync(journal.finish('k', 'done'), { message: /no running command has the key k/ });
  await journal.accept(command('k'));
  await journal.finish('k', 'done');
  await t.throwsAsync(journal.finish('k', 'done'));
});

async function knownKeys(maxFinished: number, maxOutcomeLength: number): Promise<string[]> {
  const journal = createMemoryJournal({ maxFinished, maxOutcomeLength });
  await journal.accept(command('running'));
  for (const key of ['a', 'b', 'c']) {
    await journal.accept(command(key));
    await journal.finish(key, '0123456789');
  }
  const known = [];
  for (const key of ['running', 'a', 'b', 'c']) if (await journal.accept(command(key))) known.push(key);
  return known;
}

test('forgets the oldest finished command when there are too many, never a running one', async (t) => {
  t.deepEqual(await knownKeys(2, 1000), ['running', 'b', 'c']);
});

test('forgets the oldest finished command when outcomes are too long', async (t) => {
  t.deepEqual(await knownKeys(100, 10), ['running', 'c']);
});

test('returns the commands that an earlier process has left, with their last states', async (t) => {
  const journal = createMemoryJournal();
  for (const key of ['a', 'b']) await journal.accept(command(key));
  await journal.accept({ ...command('read'), isDurable: false });
  const state = { ...initialState, step: 'apply' };
  await journal.save('b', state);
  await journal.finish('a', 'done');
  t.deepEqual(await journal.takeOver(), [{ ...command('b'), state, failedContinuations: 0, isSuspect: false }]);
});

test('forgets an anonymous command when it ends', async (t) => {
  const journal = createMemoryJournal();
  await journal.accept({ ...command('k'), isAnonymous: true });
  await journal.finish('k', 'done');
  t.is(await journal.find('k'), undefined);
});

test('lists the commands that change a release and whose senders have keys, in the order of acceptance', async (t) => {
  let time = 0;
  const journal = createMemoryJournal(undefined, () => ++time);
  await journal.accept(command('runs'));
  await journal.accept(command('ended', 'g'));
  await journal.accept({ ...command('reads'), isDurable: false });
  await journal.accept({ ...command('anonymous'), isAnonymous: true });
  await journal.finish('ended', 'done');
  t.deepEqual(journal.list(), [
    { key: 'runs', fingerprint: 'f', type: 'install_release', acceptedAt: 1 },
    { key: 'ended', fingerprint: 'g', type: 'install_release', acceptedAt: 2 },
  ]);
});

test('lists nothing without a clock, and nothing that it has forgotten', async (t) => {
  const unaware = createMemoryJournal();
  await unaware.accept(command('k'));
  t.deepEqual(unaware.list(), []);
  const journal = createMemoryJournal({ maxFinished: 0, maxOutcomeLength: 0 }, () => 1);
  await journal.accept(command('k'));
  await journal.finish('k', 'done');
  t.deepEqual(journal.list(), []);
});
