import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { createEncryptedStore } from '../../../src/control-plane/encryption/encrypted-store.ts';
import {
  type CommandStore,
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
  type KeyEncryption,
  type StoredEntry,
} from '../../../src/control-plane/index.ts';
import { createSharingStore } from '../../../src/control-plane/store/shared-payloads.ts';
import { randomOf, seedOf } from '../../support/random.ts';
import { failingStore } from '../support/failing-store.ts';
import { temporaryFile } from '../support/file.ts';
import { postgresOfFile } from '../support/postgres.ts';
import { batch, record } from '../support/stored.ts';

const postgres = postgresOfFile(test);

const long = (text: string) => JSON.stringify({ values: text.repeat(2000) });

const payloads = (entries: readonly StoredEntry[] = []) => entries.filter(({ collection }) => collection === 'payload');

/** Opens a store as a control plane does after a restart, and the store below it before. */
async function reopened(lower: CommandStore) {
  const { commands: stored, entries } = await lower.open();
  const store = createSharingStore({
    ...lower,
    open: () => Promise.resolve({ commands: stored, agents: [], ...(entries && { entries }) }),
  });
  return { store, stored, kept: payloads(entries), ...(await store.open()) };
}

const drivers: Record<string, ((t: ExecutionContext) => Promise<() => CommandStore>) | undefined> = {
  memory() {
    const store = createMemoryStore();
    return Promise.resolve(() => store);
  },
  async SQLite(t) {
    const path = await temporaryFile(t);
    return () => createSqliteStore(path);
  },
  PostgreSQL:
    postgres &&
    (async () => {
      const url = await postgres().createDatabase();
      return () => createPostgresStore({ url, random: () => 0.1 });
    }),
};

for (const [name, driver] of Object.entries(drivers)) {
  const title = `${name}: a payload is stored once until no command needs it`;
  if (!driver) {
    test.skip(`${title} (it is not installed)`, (t) => t.pass());
    continue;
  }
  test(title, async (t) => {
    t.timeout(60_000);
    const open = await driver(t);
    // JSON texts may have what a database does not keep
    const payload = `{"values":"${'a'.repeat(2000)}\ud800\u007f😀"}`;
    const commands = ['a', 'b', 'c'].map((key) => record(key, { payload }));
    const first = open();
    const store = createSharingStore(first);
    await store.open();
    await store.write(batch({ commands, entries: [{ collection: 'other', id: '1', text: '1' }] }));
    await store.write(batch({ commands: [record('a', { state: 'accepted', payload: undefined })] }));
    await store.close();
    const lower = open();
    const second = await reopened(lower);
    t.is(second.kept.length, 1);
    t.true(second.stored.every((each) => (each.payload ?? '').length < 100));
    t.deepEqual(
      second.commands.map((each) => each.payload),
      [undefined, payload, payload],
    );
    t.deepEqual(second.entries, [{ collection: 'other', id: '1', text: '1' }]);
    const ended = ['b', 'c'].map((key) => record(key, { state: 'done', payload: undefined }));
    await second.store.write(batch({ commands: ended }));
    await lower.close();
    const last = open();
    t.deepEqual(payloads((await last.open()).entries), []);
    await last.close();
  });
}

test('a payload stays if another command takes it up in the batch in which it was no longer needed', async (t) => {
  const lower = createMemoryStore();
  const store = createSharingStore(lower);
  await store.open();
  await store.write(batch({ commands: [record('a', { payload: long('x') })] }));
  const done = record('a', { state: 'done', payload: undefined });
  await store.write(batch({ commands: [done, record('b', { payload: long('x') })] }));
  const { commands, kept } = await reopened(lower);
  t.deepEqual([commands[1]?.payload, kept.length], [long('x'), 1]);
});

test('a batch that was not stored changes nothing', async (t) => {
  const { store: lower, fail } = failingStore();
  const store = createSharingStore(lower);
  await store.open();
  fail(true);
  // the command is refused then, and another one has the same payload
  await t.throwsAsync(store.write(batch({ commands: [record('a', { payload: long('x') })] })));
  fail(false);
  await store.write(batch({ commands: [record('b', { payload: long('x') })] }));
  fail(true);
  await t.throwsAsync(store.write(batch({ commands: [record('b', { payload: undefined })] })));
  fail(false);
  await store.write(batch({ commands: [record('c', { payload: long('x') })] }));
  await store.write(batch({ commands: [record('b', { payload: undefined })] }));
  const { commands, kept } = await reopened(lower);
  t.deepEqual(
    commands.map(({ key, payload }) => [key, payload]),
    [
      ['b', undefined],
      ['c', long('x')],
    ],
  );
  t.is(kept.length, 1);
});

test('after each of many batches and failures, exactly the payloads that commands need are stored', async (t) => {
  const seed = seedOf(process.env);
  t.log(`SEED=${seed}`);
  const random = randomOf(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const { store: lower, fail } = failingStore();
  let { store } = await reopened(lower);
  const expected = new Map<string, string | undefined>();
  for (let round = 0; round < 200; round++) {
    const changed = new Map<string, string | undefined>();
    for (let index = pick(4); index >= 0; index--) {
      const key = `k${pick(12)}`;
      const isKnown = expected.has(key) || changed.has(key);
      changed.set(key, isKnown ? undefined : pick(5) === 0 ? '{"short":1}' : long(`p${pick(3)}`));
    }
    const forgotten = [...expected].filter(
      ([key, payload]) => payload === undefined && !changed.has(key) && pick(3) === 0,
    );
    const isFailing = pick(4) === 0;
    fail(isFailing);
    const writing = store.write(
      batch({
        commands: [...changed].map(([key, payload]) => record(key, { payload })),
        forgotten: forgotten.map(([key]) => key),
      }),
    );
    if (isFailing) {
      await t.throwsAsync(writing);
      continue;
    }
    await writing;
    for (const [key, payload] of changed) expected.set(key, payload);
    for (const [key] of forgotten) expected.delete(key);
    const opened = await reopened(lower);
    t.deepEqual(new Map(opened.commands.map(({ key, payload }) => [key, payload])), expected);
    const needed = new Set([...expected.values()].filter((payload) => (payload ?? '').length > 1024));
    t.is(opened.kept.length, needed.size);
    if (pick(10) === 0) store = opened.store; // a restart
  }
});

test('a short payload, and one of an earlier version, is in the record of its command', async (t) => {
  const lower = createMemoryStore();
  const short = record('a', { payload: '{"releaseName":"web"}' });
  await lower.write(batch({ commands: [short, record('b', { payload: long('x') })] }));
  const { store, commands } = await reopened(lower);
  t.deepEqual(commands, [short, record('b', { payload: long('x') })]);
  await store.write(batch({ commands: [record('b', { payload: long('x'), isConnected: false })] }));
  const again = await reopened(lower);
  t.is(again.kept.length, 1);
  t.is(again.stored[0]?.payload, short.payload);
  t.deepEqual(again.commands, [short, record('b', { payload: long('x'), isConnected: false })]);
});

test('a payload that no command names is deleted with the next batch', async (t) => {
  const lower = createMemoryStore();
  const store = createSharingStore(lower);
  await store.open();
  await store.write(batch({ commands: [record('a', { payload: long('x') })] }));
  await lower.write(batch({ forgotten: ['a'] }));
  const { store: next, kept } = await reopened(lower);
  t.is(kept.length, 1);
  await next.write(batch({}));
  t.deepEqual(payloads((await lower.open()).entries), []);
});

const damage = test.macro({
  async exec(t, change: (payload: StoredEntry) => StoredEntry) {
    const lower = createMemoryStore();
    const store = createSharingStore(lower);
    await store.open();
    await store.write(batch({ commands: [record('a', { payload: long('secret') })] }));
    const [payload] = payloads((await lower.open()).entries);
    if (payload) await lower.write(batch({ entries: [change(payload)] }));
    const error = await t.throwsAsync(createSharingStore(lower).open(), { code: 'store_unavailable' });
    t.regex(error.message, /^the payload of a stored command is missing or was changed;/);
  },
  title: (name) => `refuses a store with a payload that ${name ?? ''}`,
});

test('is missing', damage, (payload) => ({ ...payload, text: undefined }));
test('is not that of its digest', damage, (payload) => ({ ...payload, text: JSON.stringify(long('forged')) }));
test('is not JSON', damage, (payload) => ({ ...payload, text: 'secret' }));
test('is not a text', damage, (payload) => ({ ...payload, text: '{"secret":1}' }));

const encryption: KeyEncryption = {
  currentKeyId: '1',
  encrypt: (key) => Promise.resolve(key),
  decrypt: (_id, key) => Promise.resolve(key),
};

test('with encryption, no command can be given the payload of another one', async (t) => {
  const path = await temporaryFile(t);
  const open = () => createSharingStore(createEncryptedStore(createSqliteStore(path), encryption));
  const store = open();
  await store.open();
  await store.write(
    batch({ commands: [record('a', { payload: long('x') }), record('b', { payload: long('y'), agentId: 'edge-2' })] }),
  );
  await store.close();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE commands SET payload = (SELECT payload FROM commands WHERE key = 'a') WHERE key = 'b'`);
  database.close();
  const next = open();
  await t.throwsAsync(next.open(), { code: 'store_unavailable', message: /was changed/ });
  await next.close();
});
