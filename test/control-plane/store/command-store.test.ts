import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import {
  type CommandStore,
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
} from '../../../src/control-plane/index.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../support/file.ts';
import { postgresOfFile } from '../support/postgres.ts';
import { batch, event, record } from '../support/stored.ts';

const postgres = postgresOfFile(test);

type Reopen = () => Promise<CommandStore>;

/** Undefined: this machine has no such store. */
const drivers: Record<string, ((t: ExecutionContext) => Promise<Reopen>) | undefined> = {
  memory() {
    const store = createMemoryStore();
    return Promise.resolve(() => Promise.resolve(store));
  },
  async SQLite(t) {
    const path = await temporaryFile(t);
    let store: CommandStore | undefined;
    t.teardown(() => store?.close());
    return async () => {
      await store?.close();
      return (store = createSqliteStore(path));
    };
  },
  PostgreSQL:
    postgres &&
    (async (t) => {
      const url = await postgres().createDatabase();
      let store: CommandStore | undefined;
      t.teardown(() => store?.close());
      return async () => {
        await store?.close();
        return (store = createPostgresStore({ url }));
      };
    }),
};

const each = (title: string, run: (t: ExecutionContext, reopen: Reopen) => Promise<void>) => {
  for (const [name, driver] of Object.entries(drivers)) {
    if (driver) test(`${name}: ${title}`, async (t) => run(t, await driver(t)));
    else test.skip(`${name}: ${title} (it is not installed)`, (t) => t.pass());
  }
};

each('keeps commands in their order, and their last state', async (t, reopen) => {
  const store = await reopen();
  t.deepEqual(await store.open(), { commands: [], agents: [] });
  await store.write(batch({ commands: [record('b'), record('a')], agents: ['edge-1', 'edge-2'] }));
  const changed = record('b', {
    ...{ state: 'done', instanceId: 'i', payload: undefined, isDurable: true, isConnected: false },
    ...{
      lostProcesses: ['p1', 'p2'],
      ...{ sentBy: 'ci', namespace: 'shop', releaseName: 'web', createdAt: 7 },
      chart: 'sha256:1',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      envelope: '{"payloadType":"a"}',
      expiresAt: 5,
      lastEvent: 7,
      lastStatus: 4,
      lastEvidence: 2,
      bytes: 900,
    },
    end: { number: 3, at: 1_700_000_000_000, isDelivered: true, outcome: 'failed' },
  });
  await store.write(batch({ commands: [changed], agents: ['edge-1'] }));
  const again = await reopen();
  t.deepEqual(await again.open(), { commands: [changed, record('a')], agents: ['edge-1', 'edge-2'] });
});

each('keeps entries until they are deleted', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  const entry = (collection: string, id: string, text?: string) => ({ collection, id, text });
  await store.write(batch({ entries: [entry('a', '1', 'x'), entry('a', '2', 'y'), entry('b', '1', 'z')] }));
  await store.write(batch({ entries: [entry('a', '1', 'x2'), entry('a', '2'), entry('a', '3')] }));
  const again = await reopen();
  t.deepEqual((await again.open()).entries, [entry('a', '1', 'x2'), entry('b', '1', 'z')]);
});

each('keeps events from the oldest that is needed', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  const commands = [record('a'), record('b')];
  await store.write(batch({ commands, events: [event('a', 1), event('b', 1), event('a', 2)] }));
  await store.write(batch({ events: [event('a', 3)], trims: [{ key: 'a', first: 2 }] }));
  const again = await reopen();
  await again.open();
  const ids = async (key: string) => (await again.events(key)).map((each) => each.event.id);
  t.deepEqual(await ids('a'), [2, 3]);
  const [first] = await again.events('b');
  t.deepEqual(first, { event: event('b', 1).event, bytes: 256 });
});

each('forgets an agent until it is connected again', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  await store.write(batch({ agents: ['edge-1', 'edge-2', 'edge-3'] }));
  await store.write(batch({ forgottenAgents: ['edge-1', 'edge-2'] }));
  await store.write(batch({ agents: ['edge-2'] }));
  const again = await reopen();
  t.deepEqual((await again.open()).agents.toSorted(), ['edge-2', 'edge-3']);
});

each('forgets a command with its events', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  await store.write(batch({ commands: [record('a'), record('b')], events: [event('a', 1)] }));
  await store.write(batch({ forgotten: ['a'] }));
  const again = await reopen();
  t.deepEqual((await again.open()).commands, [record('b')]);
  t.deepEqual(await again.events('a'), []);
});

test('only this user can read the file, also one that others could read before', async (t) => {
  const path = await temporaryFile(t, 'folder/plane.db');
  const store = createSqliteStore(path);
  await store.open();
  await store.write(batch({ commands: [record('a')] }));
  for (const file of [path, `${path}-wal`]) t.is((await stat(file)).mode & 0o777, 0o600, file);
  await store.close();
  await chmod(path, 0o644);
  const again = createSqliteStore(path);
  await again.open();
  t.is((await stat(path)).mode & 0o777, 0o600);
  await again.close();
});

test('a payload is gone from the file when it was deleted', async (t) => {
  const path = await temporaryFile(t);
  const store = createSqliteStore(path);
  await store.open();
  const contents = async () =>
    // in this order: what is in the log can move to the file in between
    Buffer.concat([await readFile(`${path}-wal`).catch(() => Buffer.of()), await readFile(path)]);
  await store.write(batch({ commands: [record('a', { payload: 'sentinel'.repeat(2000) })] }));
  t.true((await contents()).includes('sentinel'));
  await store.write(batch({ commands: [record('a', { state: 'accepted', payload: undefined })] }));
  const isGone = async () => !(await contents()).includes('sentinel');
  await t.notThrowsAsync(eventually('the payload is gone', isGone));
  await store.close();
});

test('a file of an earlier version is brought to the newest one', async (t) => {
  const path = await temporaryFile(t);
  const store = createSqliteStore(path);
  await store.open();
  await store.write(batch({ commands: [record('a')] }));
  await store.close();
  const database = new DatabaseSync(path);
  database.exec('ALTER TABLE commands DROP COLUMN chart; ALTER TABLE commands DROP COLUMN sent_by');
  database.exec('ALTER TABLE commands DROP COLUMN lost_processes; DROP TABLE entries; DROP TABLE audit');
  for (const column of ['namespace', 'release_name', 'created_at', 'traceparent', 'envelope', 'outcome']) {
    database.exec(`ALTER TABLE commands DROP COLUMN ${column}`);
  }
  database.exec('ALTER TABLE agents DROP COLUMN last_seen; ALTER TABLE agents DROP COLUMN version');
  database.exec('PRAGMA user_version = 1');
  database.close();
  const again = createSqliteStore(path);
  t.deepEqual((await again.open()).commands, [record('a')]);
  await again.close();
});

each('keeps when an agent was connected last', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  const sighting = { agentId: 'edge-1', lastSeen: 5, version: '1' };
  await store.write(batch({ agents: ['edge-1', 'edge-2'], sightings: [{ ...sighting, lastSeen: 4 }] }));
  await store.write(batch({ forgottenAgents: ['edge-2'], sightings: [sighting] }));
  const { agents, sightings } = await (await reopen()).open();
  t.deepEqual([agents, sightings], [['edge-1'], [sighting]]);
});

each('keeps the audit log, and returns pages of it', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  const line = (number: number) => ({ number, at: number * 10, line: `{"number":${number}}` });
  await store.write(batch({ audit: [1, 2, 3, 4, 5].map(line) }));
  await store.write(batch({ oldAudit: { upTo: 1, before: 30 } }));
  const again = await reopen();
  t.deepEqual((await again.open()).lastAudit, line(5));
  t.deepEqual(await again.audit({ after: 0, since: 0, max: 2 }), [line(3), line(4)]);
  t.deepEqual(await again.audit({ after: 3, since: 50, max: 9 }), [line(5)]);
});

each('keeps names that a database could not', async (t, reopen) => {
  const store = await reopen();
  await store.open();
  const names = ['a\u0000b', '"quoted"\\', "'; DROP TABLE commands; --", '{NULL,","}', 'ü😀', ''];
  const commands = names.map((key) => record(key, { namespace: key, sentBy: key, payload: JSON.stringify({ key }) }));
  const entries = names.map((id) => ({ collection: 'c', id, text: JSON.stringify(id) }));
  await store.write(batch({ commands, events: names.map((key) => event(key, 1)), agents: names, entries }));
  const again = await reopen();
  const contents = await again.open();
  t.deepEqual(contents.commands, commands);
  t.deepEqual(contents.agents.toSorted(), names.toSorted());
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  t.deepEqual(contents.entries?.toSorted(byId), entries.toSorted(byId));
  for (const key of names) t.is((await again.events(key)).length, 1, key);
});

test('a batch is stored as a whole or not at all', async (t) => {
  const path = await temporaryFile(t);
  const store = createSqliteStore(path);
  await store.open();
  const bad = record('b', { fingerprint: undefined as unknown as string }); // no caller can give it
  await t.throwsAsync(store.write(batch({ commands: [record('a'), bad] })), { code: 'store_unavailable' });
  await store.write(batch({ commands: [record('c')] }));
  await store.close();
  const again = createSqliteStore(path);
  t.deepEqual((await again.open()).commands, [record('c')]);
  await again.close();
});

const refuses = test.macro({
  async exec(t, prepare: (path: string) => unknown, reason: RegExp) {
    const path = await temporaryFile(t);
    await prepare(path);
    const store = createSqliteStore(path);
    const error = await t.throwsAsync(store.open(), { code: 'store_unavailable' });
    await t.notThrowsAsync(store.close());
    t.regex(error.message, reason);
    t.true(error.message.startsWith(`cannot use the file ${path} of the control plane: `));
  },
  title: (name) => `refuses ${name ?? ''}`,
});

const inDatabase = (statements: string) => (path: string) => {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
};

test(
  'a file that is not a database',
  refuses,
  (path) => writeFile(path, 'text '.repeat(1000)),
  /not a SQLite database$/,
);
test('the database of another program', refuses, inDatabase('CREATE TABLE a (b)'), /of another program$/);
test(
  'a file of a newer version',
  refuses,
  async (path) => {
    const store = createSqliteStore(path);
    await store.open();
    await store.close();
    inDatabase('PRAGMA user_version = 99')(path);
  },
  /newer version of helm-agent \(schema 99, not 11\)$/,
);

test('refuses a file that another control plane uses, and takes one over that is left', async (t) => {
  const path = await temporaryFile(t);
  const first = createSqliteStore(path);
  await first.open();
  const second = createSqliteStore(path);
  await t.throwsAsync(second.open(), { code: 'store_unavailable', message: /another process uses it$/ });
  const third = createSqliteStore(path);
  const opened = third.open();
  await first.close();
  t.deepEqual((await opened).commands, []);
  await third.close();
});
