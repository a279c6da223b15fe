import test from 'ava';
import {
  memorySignatureStore,
  type SignatureUse,
  UsedSignatures,
  type UsedSignatureStore,
} from '../../src/signatures/used-signatures.ts';

const hour = 3_600_000;
const use = (key: string, issuedAt: number, release: string | undefined = 'shop/web'): SignatureUse => ({
  ...{ release, key, issuedAt },
  expiresAt: issuedAt + hour,
});

const isReplayed = { code: 'signature_replayed' };

function usedSignatures(store: UsedSignatureStore = memorySignatureStore(), clock = { now: 0 }) {
  return new UsedSignatures(store, () => clock.now);
}

test('a signature is used once', async (t) => {
  const used = usedSignatures();
  await used.requireUnused(use('a', 1));
  await used.note(use('a', 1), false);
  await t.throwsAsync(used.requireUnused(use('a', 1)), { ...isReplayed, message: /and performed before/ });
  await t.throwsAsync(used.note(use('a', 1), false), isReplayed);
});

test('commands on a release keep the order in which they were signed', async (t) => {
  const used = usedSignatures();
  await used.note(use('b', 2), false);
  await t.throwsAsync(used.requireUnused(use('a', 1)), { ...isReplayed, message: /came before it/ });
  await t.throwsAsync(used.requireUnused(use('a', 2)), isReplayed);
  await t.notThrowsAsync(used.requireUnused(use('c', 3)));
  await t.notThrowsAsync(used.requireUnused(use('a', 1, 'shop/db')), 'another release');
});

test('commands without a release are independent', async (t) => {
  const used = usedSignatures();
  const exec = (key: string, issuedAt: number) => ({ ...use(key, issuedAt), release: undefined });
  await used.note(exec('b', 2), false);
  await t.notThrowsAsync(used.note(exec('a', 1), false));
  await t.throwsAsync(used.note(exec('b', 2), false), isReplayed);
});

test('of two commands at the same time, the older one is refused if it is the later one', async (t) => {
  const used = usedSignatures();
  await Promise.all([used.requireUnused(use('a', 1)), used.requireUnused(use('b', 2))]);
  const [b, a] = await Promise.allSettled([used.note(use('b', 2), false), used.note(use('a', 1), false)]);
  t.is(b.status, 'fulfilled');
  t.is(a.status, 'rejected');
});

test('a command that has begun continues, whatever came after it', async (t) => {
  const used = usedSignatures();
  await used.note(use('b', 2), false);
  await t.notThrowsAsync(used.note(use('a', 1), true));
  await t.throwsAsync(used.requireUnused(use('b', 2)), isReplayed);
});

test('another process knows what was used', async (t) => {
  const store = memorySignatureStore();
  const first = usedSignatures(store);
  const second = usedSignatures(store);
  await second.requireUnused(use('x', 1));
  await first.note(use('a', 1), false);
  await t.throwsAsync(second.note(use('a', 1), false), isReplayed, 'also with an old copy');
  await second.note(use('b', 2), false);
  await t.throwsAsync(first.note(use('c', 2), false), isReplayed);
});

test('a signature is known until it has expired, also if a newer one expires before', async (t) => {
  const clock = { now: 0 };
  const used = usedSignatures(memorySignatureStore(), clock);
  await used.note({ ...use('long', 1), expiresAt: 100 * hour }, false);
  await used.note(use('short', 2), false);
  clock.now = 99 * hour;
  await used.note(use('other', 3, 'shop/db'), false);
  await t.throwsAsync(used.requireUnused(use('long', 1)), isReplayed);
  clock.now = 170 * hour;
  await used.note(use('next', 4, 'shop/db'), false);
  await t.notThrowsAsync(used.requireUnused(use('long', 1)), 'its expiry refuses it now');
});

test('a signature that was held back stays refused after a newer one has expired', async (t) => {
  const clock = { now: 0 };
  const store = memorySignatureStore();
  const used = usedSignatures(store, clock);
  const held = { ...use('held', 1), expiresAt: 168 * hour };
  await used.note(use('newer', 2), false);
  for (const hours of [3, 100, 168]) {
    clock.now = hours * hour;
    await used.note(use(`other-${hours}`, clock.now, 'shop/db'), false);
    await t.throwsAsync(used.requireUnused(held), { ...isReplayed, message: /came before it/ });
    await t.throwsAsync(usedSignatures(store, clock).note(held, false), isReplayed, 'another process');
  }
});

test('a command without a release is forgotten when it has expired', async (t) => {
  const clock = { now: 0 };
  const store = memorySignatureStore();
  const used = usedSignatures(store, clock);
  await used.note({ ...use('exec', 1), release: undefined }, false);
  clock.now = 3 * hour;
  await used.note(use('other', clock.now), false);
  t.notRegex((await store.read())?.text ?? '', /exec/);
});

test('a flood of signatures makes no old one new again, and has a bounded size', async (t) => {
  const store = memorySignatureStore();
  const used = usedSignatures(store);
  for (let number = 1; number <= 1010; number += 1) await used.note(use(`k${number}`, number, `a/r${number}`), false);
  await t.throwsAsync(used.requireUnused(use('k1', 1, 'a/r1')), { ...isReplayed, message: /too long ago/ });
  await t.throwsAsync(used.requireUnused(use('new', 5, 'a/new')), isReplayed);
  await t.notThrowsAsync(used.requireUnused(use('new', 2000, 'a/new')));
  t.true(((await store.read())?.text.length ?? 0) < 200_000);
});

test('a record that was damaged refuses all signatures', async (t) => {
  for (const text of ['', '{}', '{"format":2}', '[', `{"format":1,"floor":0,"used":{"a":1}}`]) {
    const store = { ...memorySignatureStore(), read: () => Promise.resolve({ text, version: '1' }) };
    await t.throwsAsync(usedSignatures(store).requireUnused(use('a', 1)), isReplayed, text);
  }
});

test('a use that cannot be stored is not noted', async (t) => {
  const store = memorySignatureStore();
  const failing = { ...store, write: () => Promise.reject(new Error('no API server')) };
  await t.throwsAsync(usedSignatures(failing).note(use('a', 1), false), { message: 'no API server' });
  await t.notThrowsAsync(usedSignatures(store).note(use('a', 1), false));
});

test('a store that always changes is given up', async (t) => {
  const busy = { ...memorySignatureStore(), write: () => Promise.resolve(false) };
  await t.throwsAsync(usedSignatures(busy).note(use('a', 1), false), { ...isReplayed, message: /send it again/ });
});
