import { execFile } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { noteRestored } from '../../src/control-plane/backup.ts';
import { createMemoryStore, createPostgresStore, createSqliteStore } from '../../src/control-plane/index.ts';
import { ResultFeed } from '../../src/control-plane/result-feed.ts';
import { backupEntry, type StoredEntry } from '../../src/control-plane/store/command-store.ts';
import { feedItems } from '../../src/control-plane/webhooks/webhook-events.ts';
import { testAgent } from '../agent/support/agent.ts';
import { recordingLog } from '../agent/support/log.ts';
import { testRelease } from '../agent/support/release.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFile } from './support/file.ts';
import { testPlane } from './support/plane.ts';
import { postgresFolder, postgresOfFile } from './support/postgres.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const parameters = { releaseName: 'web', chartName: 'c' };

/** Stores a backup of a control plane in a new file. */
async function backUp(t: ExecutionContext, url: string): Promise<string> {
  const response = await fetch(`${url}/api/backup`);
  t.is(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  t.is(bytes.length, Number(response.headers.get('content-length')));
  const path = await temporaryFile(t, 'restored.db');
  await writeFile(path, bytes);
  return path;
}

test('a backup is made while commands arrive, and leaves no file behind', async (t) => {
  const path = await temporaryFile(t);
  const { plane, url, agentUrl } = await testPlane(t, { store: createSqliteStore(path) });
  await writeFile(`${path}-backup`, 'of a process that was killed');
  await rawAgent(agentUrl);
  const keys = Array.from({ length: 50 }, (_, index) => plane.install('edge-1', parameters, { key: `k${index}` }).key);
  await plane.command('k49')?.stored;
  const [copy] = await Promise.all([
    backUp(t, url),
    ...Array.from({ length: 20 }, () => plane.install('edge-1', parameters).stored),
  ]);
  const names = await readdir(dirname(path));
  t.deepEqual(
    names.filter((name) => name.includes('backup')),
    [],
  );
  t.true(names.includes(basename(path)));

  const restored = await testPlane(t, { store: createSqliteStore(copy) });
  t.is((await stat(copy)).mode & 0o777, 0o600);
  for (const key of keys) t.is(restored.plane.command(key)?.type, 'install_release');
});

test('a control plane that is restored says so, once, and its audit log continues', async (t) => {
  const { url } = await testPlane(t, { store: createSqliteStore(await temporaryFile(t)) });
  const copy = await backUp(t, url);
  const first = await testPlane(t, { store: createSqliteStore(copy) });
  t.is(first.lines.filter((line) => line.includes('started from a backup')).length, 1);
  await eventually('the audit log says so', async () => {
    const audit = await (await fetch(`${first.url}/api/audit`)).text();
    return /"action":"restored from the backup of \d{4}-/.test(audit);
  });
  await first.plane.close();
  const second = await testPlane(t, { store: createSqliteStore(copy) });
  t.false(second.lines.some((line) => line.includes('started from a backup')));
});

test('commands that were done after the backup are not done again, and their results are learned', async (t) => {
  const original = await testPlane(t, { store: createSqliteStore(await temporaryFile(t)) });
  const waiting = original.plane.install('edge-1', parameters, { key: 'waited', deliverWithin: '1h' });
  await waiting.stored;
  const copy = await backUp(t, original.url);
  const { port } = original;
  const { puppets } = await testAgent(t, { controlPlaneUrl: `${original.agentUrl}/agents` });
  (await puppets.call(0)).succeed({ release: testRelease('web') });
  t.true((await waiting.result).ok);
  const later = original.plane.install('edge-1', parameters, { key: 'later' });
  (await puppets.call(1)).succeed({ release: testRelease('web') });
  t.true((await later.result).ok);
  await original.plane.close();

  const restored = await testPlane(t, { store: createSqliteStore(copy), port });
  t.true((await restored.plane.command('waited')?.result)?.ok);
  await eventually('the command of after the backup is known', () => restored.plane.command('later') !== undefined);
  t.true((await restored.plane.command('later')?.result)?.ok);
  t.is(puppets.calls.length, 2);
  const again = restored.plane.install('edge-1', parameters, { key: 'later' });
  t.true((await again.result).ok, 'a sender that repeats it gets the same result');
  t.is(puppets.calls.length, 2);
});

test('the result of a command that was running at the time of the backup is asked for', async (t) => {
  const original = await testPlane(t, { store: createSqliteStore(await temporaryFile(t)) });
  const agent = await rawAgent(original.agentUrl, { durable: true });
  const { key, result } = original.plane.install('edge-1', parameters);
  await agent.packet('install_release');
  agent.send('accepted', { durable: true }, key);
  for await (const { type } of original.plane.command(key) ?? []) if (type === 'accepted') break;
  const copy = await backUp(t, original.url);
  agent.send('result', installed, key);
  await result;
  await original.plane.close();

  const restored = await testPlane(t, { store: createSqliteStore(copy) });
  const later = await rawAgent(restored.agentUrl, { instanceId: 'b', durable: true });
  t.deepEqual(JSON.parse((await later.packet('unfinished')).payload ?? ''), { keys: [key] });
  later.send('result', installed, key);
  t.true((await restored.plane.command(key)?.result)?.ok);
});

test('readers who have events of after the backup get the next ones', async (t) => {
  const original = await testPlane(t, { store: createSqliteStore(await temporaryFile(t)) });
  const agent = await rawAgent(original.agentUrl, { durable: true });
  const start = async (key: string) => {
    const command = original.plane.install('edge-1', parameters, { key });
    await command.stored;
    agent.send('accepted', { durable: true }, key);
    for await (const { type } of command) if (type === 'accepted') return command;
    return command;
  };
  const known = await start('known');
  const copy = await backUp(t, original.url);
  const commands = [known, await start('later')];
  const status = { step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z', message: 'm' };
  const newest = new Map<string, number>();
  for (const command of commands) {
    for (const seq of [1, 2, 3, 4]) agent.send('status', { ...status, seq }, command.key);
    for await (const { type, payload, id } of command) {
      newest.set(command.key, id);
      if (type === 'status' && payload.seq === 4) break;
    }
  }
  await original.plane.close();

  const restored = await testPlane(t, { store: createSqliteStore(copy) });
  restored.plane.install('edge-1', parameters, { key: 'later', deliverWithin: '1h' });
  const later = await rawAgent(restored.agentUrl, { durable: true });
  for (const [key, id] of newest) {
    const headers = { 'last-event-id': String(id) };
    const stream = await fetch(`${restored.url}/api/commands/${key}/events`, { headers });
    later.send('result', installed, key);
    const text = await stream.text();
    t.regex(text, /event: result\n/);
    for (const [, next] of text.matchAll(/^id: (\d+)$/gm)) t.true(Number(next) > id, `${next} of ${key}`);
    const whole = await (await fetch(`${restored.url}/api/commands/${key}/events`)).text();
    t.true(whole.endsWith(text));
  }
});

test('results after a backup share no id with those that it does not know, however often it is restored', async (t) => {
  const original = await testPlane(t, { store: createSqliteStore(await temporaryFile(t)) });
  const copies = [await backUp(t, original.url), await backUp(t, original.url)];
  const idOf = async ({ plane, agentUrl }: typeof original, key: string) => {
    const agent = await rawAgent(agentUrl);
    const command = plane.install('edge-1', parameters, { key });
    await agent.packet('install_release');
    agent.send('result', installed, key);
    await command.result;
    for await (const { id, key: its } of plane.results()) if (its === key) return id;
    return 0;
  };
  const ids = [await idOf(original, 'a')];
  for (const copy of copies) {
    const first = await testPlane(t, { store: createSqliteStore(copy) });
    await first.plane.close();
    const second = await testPlane(t, { store: createSqliteStore(copy) });
    for (const key of ['b', 'c']) ids.push(await idOf(second, key));
    await second.plane.close();
  }
  t.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
});

test('ids of events from the audit log contain the time of the last start from a backup', async (t) => {
  const line = JSON.stringify({ number: 1, time: '2026-01-01T00:00:00.000Z', action: 'agent connected' });
  const idsAfter = async (lastRestore: number) => {
    const options = {
      commands: {
        lastRestore,
        get: () => undefined,
        results: new ResultFeed(createMemoryStore().retention, () => t.fail()),
      },
      audit: {
        after: async function* () {
          yield await Promise.resolve({ number: 1, at: 0, line });
        },
      },
      source: () => 'hub',
    };
    for await (const { events } of feedItems('audit', 0, options, new AbortController().signal)) {
      return events.map(({ event }) => event.id);
    }
    return [];
  };
  t.deepEqual(await idsAfter(0), ['hub_event_1', 'hub_audit_1']);
  t.deepEqual(await idsAfter(5), ['hub_event_5_1', 'hub_audit_5_1']);
});

/** Returns a function that starts with the entries of the start before, and returns its time. */
function starts(t: ExecutionContext) {
  const entries = new Map<string, StoredEntry>();
  const { log } = recordingLog();
  return (now: string, backup?: string) => {
    if (backup !== undefined) entries.set('made', { ...backupEntry, text: JSON.stringify({ at: backup }) });
    const since = noteRestored([...entries.values()], {
      ...{ log, audit: { add: () => t.pass() }, now: () => new Date(now) },
      keep: (entry) => (entry.text === undefined ? entries.delete(entry.id) : entries.set(entry.id, entry)),
    });
    return { since: since === undefined ? undefined : new Date(since).toISOString(), entries: entries.size };
  };
}

test('agents are asked for later commands for a week, also after further starts', (t) => {
  const start = starts(t);
  t.deepEqual(start('2026-01-01T00:00:00Z'), { since: undefined, entries: 0 });
  t.deepEqual(start('2026-02-01T00:00:00Z', '2026-01-31T00:00:00Z'), { since: '2026-01-31T00:00:00.000Z', entries: 1 });
  t.deepEqual(start('2026-02-07T00:00:00Z'), { since: '2026-01-31T00:00:00.000Z', entries: 1 });
  t.deepEqual(start('2026-02-09T00:00:00Z'), { since: undefined, entries: 0 });
  t.deepEqual(start('2026-02-07T00:00:00Z'), { since: undefined, entries: 0 });
});

test('agents are asked for what is later than the older one of two backups within a week', (t) => {
  const start = starts(t);
  start('2026-02-01T00:00:00Z', '2026-01-31T00:00:00Z');
  t.is(start('2026-02-02T00:00:00Z', '2026-02-01T12:00:00Z').since, '2026-01-31T00:00:00.000Z');
  t.is(start('2026-02-08T12:00:00Z').since, '2026-01-31T00:00:00.000Z', 'a week from the second start');
  t.is(start('2026-04-01T00:00:00Z', '2026-03-31T00:00:00Z').since, '2026-03-31T00:00:00.000Z');
});

test('only an administrator gets a backup, and a control plane without a file says what to do', async (t) => {
  const path = await temporaryFile(t);
  const { plane, url } = await testPlane(t, { store: createSqliteStore(path), apiToken: 'the-admin' });
  const { token } = await plane.tokens.create({ name: 'reader', roles: [{ rights: ['read'] }], expiresIn: '1h' });
  const get = (bearer: string) => fetch(`${url}/api/backup`, { headers: { authorization: `Bearer ${bearer}` } });
  t.is((await get(token)).status, 403);
  t.is((await get('the-admin')).status, 200);
  t.is((await fetch(`${url}/api/backup`)).status, 401);

  const memory = await testPlane(t);
  const response = await fetch(`${memory.url}/api/backup`);
  t.is(response.status, 400);
  t.like(await response.json(), { code: 'unsupported' });
});

const folder = postgresFolder();
const postgres = postgresOfFile(test);
const run = promisify(execFile);

if (folder === undefined || !postgres) {
  test.skip('a dump of PostgreSQL (PostgreSQL is not installed)', (t) => t.pass());
} else {
  test('a control plane that starts from a dump of PostgreSQL says so, once', async (t) => {
    t.timeout(60_000);
    const url = await postgres().createDatabase();
    const original = await testPlane(t, { store: createPostgresStore({ url }) });
    await original.plane.install('edge-1', parameters, { key: 'waits', deliverWithin: '1h' }).stored;
    await original.plane.close();
    const again = await testPlane(t, { store: createPostgresStore({ url }) });
    t.false(again.lines.some((line) => line.includes('started from a backup')));
    const copy = await postgres().createDatabase();
    const { stdout: dump } = await run(join(folder, 'pg_dump'), ['--schema=helm_agent', url]);
    const file = await temporaryFile(t, 'dump.sql');
    await writeFile(file, dump);
    await run(join(folder, 'psql'), ['--quiet', '--set=ON_ERROR_STOP=1', `--file=${file}`, copy]);

    const first = await testPlane(t, { store: createPostgresStore({ url: copy }) });
    t.is(first.plane.command('waits')?.type, 'install_release');
    t.is(first.lines.filter((line) => line.includes('started from a backup')).length, 1);
    await eventually('the audit log says so', async () => {
      const audit = await (await fetch(`${first.url}/api/audit`)).text();
      return /"action":"restored from the backup of \d{4}-/.test(audit);
    });
    await first.plane.close();
    const second = await testPlane(t, { store: createPostgresStore({ url: copy }) });
    t.false(second.lines.some((line) => line.includes('started from a backup')));
  });

  test('a dump that is restored into the same database is noticed', async (t) => {
    t.timeout(60_000);
    const url = await postgres().createDatabase();
    const original = await testPlane(t, { store: createPostgresStore({ url }) });
    await original.plane.close();
    const dump = await run(join(folder, 'pg_dump'), ['--schema=helm_agent', '--clean', url]);
    const file = await temporaryFile(t, 'dump.sql');
    await writeFile(file, dump.stdout);
    await run(join(folder, 'psql'), ['--quiet', '--set=ON_ERROR_STOP=1', `--file=${file}`, url]);
    const restored = await testPlane(t, { store: createPostgresStore({ url }) });
    t.is(restored.lines.filter((line) => line.includes('started from a backup')).length, 1);
  });
}
