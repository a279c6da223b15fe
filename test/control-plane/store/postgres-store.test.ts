import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import {
  type CommandStore,
  createPostgresStore,
  type PostgresStoreOptions,
  type StoredEntry,
} from '../../../src/control-plane/index.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { startCuttableProxy } from '../../bin/support/cuttable-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { password, postgresOfFile, type PostgresServer } from '../support/postgres.ts';
import { batch, event, record } from '../support/stored.ts';

const postgres = postgresOfFile(test);

/** A test that needs a server, and gets the URL of a database of its own. */
function withDatabase(
  title: string,
  run: (t: ExecutionContext, database: { url: string; server: PostgresServer }) => Promise<void>,
) {
  if (!postgres) {
    test.skip(`${title} (PostgreSQL is not installed)`, (t) => t.pass());
    return;
  }
  test(title, async (t) => {
    t.timeout(60_000);
    const server = postgres();
    await run(t, { server, url: await server.createDatabase() });
  });
}

function storeOf(t: ExecutionContext, options: PostgresStoreOptions): CommandStore {
  const store = createPostgresStore({ random: () => 0.1, ...options });
  t.teardown(() => store.close());
  return store;
}

const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const keysOf = async (server: PostgresServer, url: string) =>
  (await server.query<{ key: string }>(url, 'SELECT key FROM helm_agent.commands ORDER BY position')).map(
    ({ key }) => key,
  );

withDatabase('a batch is stored as a whole or not at all', async (t, { url }) => {
  const store = storeOf(t, { url });
  await store.open();
  const audit = [{ number: 1, at: 1, line: '{}' }];
  await store.write(batch({ audit }));
  const error = await t.throwsAsync(store.write(batch({ commands: [record('a')], audit })), {
    code: 'store_unavailable',
  });
  t.notRegex(error.message, /\{\}/);
  await store.write(batch({ commands: [record('c')] }));
  await store.close();
  t.deepEqual((await storeOf(t, { url }).open()).commands, [record('c')]);
});

withDatabase('a control plane waits until the one before has ended', async (t, { url }) => {
  const { log, lines } = recordingLog();
  const [first, second] = [storeOf(t, { url }), storeOf(t, { url, log })];
  await first.open();
  const opening = second.open();
  await eventually('the second one waits', () => lines.some((line) => line.includes('leads; waiting')));
  t.false(second.isReachable?.());
  await first.write(batch({ commands: [record('a')] }));
  await first.close();
  t.deepEqual((await opening).commands, [record('a')]);
  t.true(second.isReachable?.());
});

withDatabase('a control plane that waits connects again', async (t, { url, server }) => {
  const { log, lines } = recordingLog();
  const [first, second] = [storeOf(t, { url }), storeOf(t, { url, log })];
  await first.open();
  const opening = second.open();
  await eventually('the second one waits', () => lines.some((line) => line.includes('leads; waiting')));
  await server.query(url, endConnections);
  await eventually('the first one leads again', () =>
    first.write(batch({ commands: [record('a')] })).then(
      () => true,
      () => first.lost?.aborted === true,
    ),
  );
  await first.close();
  t.is((await opening).commands.length, first.lost?.aborted === true ? 0 : 1);
});

withDatabase('a control plane that waits can be closed', async (t, { url }) => {
  const [first, second] = [storeOf(t, { url }), storeOf(t, { url })];
  await first.open();
  const closing = new AbortController();
  const opening = second.open(closing.signal);
  closing.abort();
  await t.throwsAsync(opening);
  await t.notThrowsAsync(second.close());
});

withDatabase('a leader whose epoch is over cannot write, and learns it', async (t, { url, server }) => {
  const [old, next] = [storeOf(t, { url }), storeOf(t, { url })];
  await old.open();
  await server.query(url, 'UPDATE helm_agent.leader SET epoch = epoch + 1'); // as another leader does
  await t.throwsAsync(old.write(batch({ commands: [record('late')] })), {
    code: 'store_unavailable',
    message: /another control plane uses it now$/,
  });
  t.true(old.lost?.aborted);
  t.false(old.isReachable?.());
  t.deepEqual((await next.open()).commands, []); // the old one has released its lock
  await t.throwsAsync(old.write(batch({})), { message: /another control plane uses it now$/ });
});

withDatabase('a leader that was cut off does not lead again after another one', async (t, { url, server }) => {
  const proxy = await startCuttableProxy(server.port);
  t.teardown(() => proxy.close());
  const old = storeOf(t, { url: url.replace(`:${server.port}`, `:${proxy.port}`) });
  await old.open();
  proxy.cut();
  const next = storeOf(t, { url });
  await next.open();
  proxy.heal();
  await eventually('the old one has learned it', () => old.lost?.aborted === true);
  await t.throwsAsync(old.write(batch({ commands: [record('late')] })), { code: 'store_unavailable' });
  await next.write(batch({ commands: [record('a')] }));
  t.deepEqual(await keysOf(server, url), ['a']);
});

withDatabase('PostgreSQL ends the session of a leader that sends nothing', async (t, { url, server }) => {
  const proxy = await startCuttableProxy(server.port);
  t.teardown(() => proxy.close());
  const silent = storeOf(t, { url: url.replace(`:${server.port}`, `:${proxy.port}`) });
  await silent.open();
  proxy.swallow(); // as if its machine had gone
  const next = storeOf(t, { url });
  const start = performance.now();
  await t.notThrowsAsync(next.open());
  t.log(`another one leads after ${Math.round(performance.now() - start)} ms`);
});

for (const isForwarded of [true, false]) {
  const outcome = isForwarded ? 'is known to be stored' : 'is refused';
  withDatabase(
    `a batch whose commit ${isForwarded ? 'has arrived' : 'was lost'} when the connection ended ${outcome}`,
    async (t, { url, server }) => {
      const proxy = await commitCutter(server.port, isForwarded);
      t.teardown(() => proxy.close());
      const store = storeOf(t, { url: url.replace(`:${server.port}`, `:${proxy.port}`) });
      await store.open();
      proxy.arm();
      const writing = store.write(batch({ commands: [record('a')], events: [event('a', 1)] }));
      await (isForwarded ? t.notThrowsAsync(writing) : t.throwsAsync(writing, { code: 'store_unavailable' }));
      t.true(proxy.hasCut());
      t.deepEqual(await keysOf(server, url), isForwarded ? ['a'] : []);
      await store.write(batch({ commands: [record('b')] }));
      t.deepEqual(await keysOf(server, url), isForwarded ? ['a', 'b'] : ['b']);
    },
  );
}

/** A TCP proxy that cuts the connection of the next COMMIT, before or after it has forwarded it. */
async function commitCutter(port: number, isForwarded: boolean) {
  let isArmed = false;
  let hasCut = false;
  const server = createServer((inbound) => {
    const outbound = connect(port, '127.0.0.1');
    let isOver = false;
    for (const socket of [inbound, outbound]) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        inbound.destroy();
        outbound.destroy();
      });
    }
    inbound.on('data', (data) => {
      isOver = isArmed && data.includes('COMMIT');
      if (isOver) [isArmed, hasCut] = [false, true];
      if (isOver && !isForwarded) inbound.destroy();
      else outbound.write(data);
    });
    outbound.on('data', (data) => (isOver ? inbound.destroy() : inbound.write(data)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    arm: () => void (isArmed = true),
    hasCut: () => hasCut,
    close: () => server.close(),
  };
}

withDatabase('continues by itself when PostgreSQL has ended its connections', async (t, { url, server }) => {
  const store = storeOf(t, { url });
  await store.open();
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  const kills = new Set([50, 120]);
  for (const number of numbers) {
    if (kills.has(number)) await server.query(url, endConnections);
    const write = () => store.write(batch({ commands: [record(`k${number}`)] }));
    await eventually(`${number} is stored`, () =>
      write().then(
        () => true,
        () => false,
      ),
    );
  }
  t.deepEqual(
    await keysOf(server, url),
    numbers.map((number) => `k${number}`),
  );
});

withDatabase('leaves a schema of a newer version that works with this one, and refuses others', async (t, database) => {
  const { url, server } = database;
  const store = storeOf(t, { url });
  await store.open();
  await store.close();
  await server.query(url, 'ALTER TABLE helm_agent.commands ADD COLUMN later text');
  await server.query(url, 'INSERT INTO helm_agent.migrations (version, works_since) VALUES (98, 1)');
  const newer = storeOf(t, { url });
  await newer.open();
  await newer.write(batch({ commands: [record('a')] }));
  await newer.close();
  await server.query(url, 'INSERT INTO helm_agent.migrations (version, works_since) VALUES (99, 99)');
  await t.throwsAsync(storeOf(t, { url }).open(), {
    code: 'store_unavailable',
    message: /newer version of helm-agent \(schema 99, which needs 99, not 2\)$/,
  });
});

withDatabase('two control planes that start at the same time migrate an empty database once', async (t, database) => {
  const { url, server } = database;
  const stores = [storeOf(t, { url }), storeOf(t, { url })];
  const opened = stores.map(async (store) => {
    await store.open();
    await store.close();
  });
  await Promise.all(opened);
  const rows = await server.query<{ version: number }>(url, 'SELECT version FROM helm_agent.migrations');
  t.deepEqual(rows, [{ version: 1 }, { version: 2 }]);
});

const refusals: [string, (url: string) => string, RegExp][] = [
  ['a wrong password', (url) => url.replace(password, 'sentinel-of-another'), /password authentication failed/],
  ['an unknown database', (url) => url.replace(/[^/]*$/, 'absent'), /database "absent" does not exist$/],
  ['a text that is not a URL', () => `postgres ${password}`, /its URL is not valid/],
  ['a URL of another program', (url) => url.replace('postgresql', 'mysql'), /its URL is not valid/],
  ['a server without TLS that must have it', (url) => `${url}?sslmode=verify-full`, /does not support SSL/],
];
for (const [title, change, message] of refusals) {
  withDatabase(`refuses ${title}, without its password`, async (t, { url }) => {
    const { log, lines } = recordingLog();
    const error = await t.throwsAsync(storeOf(t, { url: change(url), log }).open(), {
      code: 'store_unavailable',
      message,
    });
    t.notRegex(`${error.stack} ${JSON.stringify(lines)}`, /sentinel/);
  });
}

withDatabase('a control plane that waits knows where the one that leads is', async (t, { server, url }) => {
  const [first, second, third] = [8089, 8090, 8091].map((port) =>
    storeOf(t, { url, replicaAddress: { host: '127.0.0.1', port } }),
  );
  if (!first?.places || !second?.places || !third?.places) throw new Error('they have no places');
  t.is((await first.open()).entries?.length, undefined);
  t.is(first.places.leader(), undefined);
  const opening = second.open();
  await eventually('it is known', () => second.places?.leader() !== undefined);
  t.deepEqual(second.places.leader(), first.places.own);
  t.not(first.places.own.secret, second.places.own.secret);
  await first.close();
  t.is((await opening).entries, undefined);
  t.is(second.places.leader(), undefined);
  const waiting = third.open().catch(() => undefined);
  await eventually('the next one is known', () => third.places?.leader()?.port === 8090);
  await server.query(url, `UPDATE helm_agent.entries SET text = '{"later": 1}' WHERE collection = 'leader'`);
  await eventually('a text of a newer version is not used', () => third.places?.leader() === undefined);
  await third.close();
  await waiting;
});

withDatabase('a leader without an address deletes that of the one before', async (t, { url }) => {
  const first = storeOf(t, { url, replicaAddress: { host: '127.0.0.1', port: 8089 } });
  await first.open();
  await first.close();
  await storeOf(t, { url }).open();
  const { log, lines } = recordingLog();
  const third = storeOf(t, { url, log, replicaAddress: { host: '127.0.0.1', port: 8091 } });
  const waiting = third.open().catch(() => undefined);
  await eventually('it waits', () => JSON.stringify(lines).includes('another control plane leads'));
  t.is(third.places?.leader(), undefined);
  await third.close();
  await waiting;
});

withDatabase(
  'a control plane starts that takes longer to read the database than the time for a sign',
  async (t, { url, server }) => {
    const first = storeOf(t, { url });
    await first.open();
    await first.write(batch({ agents: ['edge-1'] }));
    await first.close();
    const locking = server.query(url, 'BEGIN; LOCK TABLE helm_agent.agents; SELECT pg_sleep(8); COMMIT');
    const locks = `SELECT FROM pg_locks WHERE relation = 'helm_agent.agents'::regclass AND mode = 'AccessExclusiveLock'`;
    await eventually('the table is locked', async () => (await server.query(url, locks)).length > 0);
    const { log, lines } = recordingLog();
    t.deepEqual((await storeOf(t, { url, log }).open()).agents, ['edge-1']);
    t.deepEqual(lines, []);
    await locking;
  },
);

withDatabase('a control plane reads all entries and commands, however large they are', async (t, { url }) => {
  const store = storeOf(t, { url });
  await store.open();
  const long = 'x'.repeat(2 * 1024 * 1024);
  const texts = [long, '1', long, '2', long.repeat(3), long, '3', ...Array.from({ length: 1500 }, () => '4')];
  const entries = texts.map((text, index) => ({ collection: `c${index % 2}`, id: String(index), text }));
  const commands = texts.map((payload, index) => record(`k${index}`, { payload }));
  await store.write(batch({ entries, commands }));
  await store.close();
  const read = await storeOf(t, { url }).open();
  const sorted = (list: readonly StoredEntry[] = []) => list.toSorted((a, b) => Number(a.id) - Number(b.id));
  t.deepEqual(sorted(read.entries), entries);
  t.deepEqual(read.commands, commands);
});

withDatabase('events of many commands that are read together are those of each', async (t, { url }) => {
  const store = storeOf(t, { url });
  await store.open();
  const keys = ['a', 'b\0\ud800', 'c', 'without events'];
  const events = [1, 2, 3].flatMap((id) => keys.slice(0, 3).map((key) => event(key, id)));
  await store.write(batch({ commands: keys.map((key) => record(key)), events }));
  const wanted = [...keys, 'unknown', 'a'];
  const read = await Promise.all(wanted.map((key) => store.events(key)));
  const own = (key: string) => events.filter((one) => one.key === key).map(({ key: _, ...stored }) => stored);
  t.deepEqual(read, wanted.map(own));
  await store.close();
  const late = await Promise.allSettled(keys.map((key) => store.events(key)));
  t.deepEqual([...new Set(late.map(({ status }) => status))], ['rejected']);
});
