import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { createEncryptedStore } from '../../../src/control-plane/encryption/encrypted-store.ts';
import {
  type CommandStore,
  createMemoryStore,
  createPostgresStore,
  createSqliteStore,
  openEncryptionKeys,
} from '../../../src/control-plane/index.ts';
import { temporaryFile } from '../support/file.ts';
import { testPlane } from '../support/plane.ts';
import { postgresOfFile } from '../support/postgres.ts';
import { installed, rawAgent } from '../support/raw-agent.ts';
import { batch, event, record } from '../support/stored.ts';

const postgres = postgresOfFile(test);

const newKey = () => randomBytes(32).toString('base64');

/** Writes a file of keys, and reads it. */
async function keysOf(t: ExecutionContext, ...lines: string[]) {
  const path = await temporaryFile(t, 'keys');
  await writeFile(path, lines.join('\n'));
  return openEncryptionKeys(path);
}

/** A store, and the folders with everything that it writes. */
interface Kept {
  open: () => CommandStore;
  folder: string;
}

const drivers: Record<string, ((t: ExecutionContext) => Promise<Kept>) | undefined> = {
  async SQLite(t) {
    const path = await temporaryFile(t);
    return { open: () => createSqliteStore(path), folder: dirname(path) };
  },
  PostgreSQL:
    postgres &&
    (async () => {
      const server = postgres();
      const url = await server.createDatabase();
      return { open: () => createPostgresStore({ url, random: () => 0.1 }), folder: server.folder };
    }),
};

const each = (title: string, run: (t: ExecutionContext, kept: Kept) => Promise<void>) => {
  for (const [name, driver] of Object.entries(drivers)) {
    const whole = `${name}: ${title}`;
    if (!driver) {
      test.skip(`${whole} (it is not installed)`, (t) => t.pass());
      continue;
    }
    test(whole, async (t) => {
      t.timeout(60_000);
      await run(t, await driver(t));
    });
  }
};

/** Returns the texts that some file below a folder contains. */
async function foundIn(folder: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = (file: string) => readFile(file).catch(() => Buffer.alloc(0)); // some are deleted
  const contents = await Promise.all(files.map(read));
  return texts.filter((text) => contents.some((content) => content.includes(text)));
}

/** Sends a command that waits, lets another one end, and returns the secrets that are in files. */
async function run(t: ExecutionContext, { open, folder }: Kept, encryption?: Awaited<ReturnType<typeof keysOf>>) {
  const { plane, url, agentUrl } = await testPlane(t, { store: open(), encryption });
  const secrets = ['values', 'status', 'result'].map((place) => `${place}-${randomBytes(8).toString('hex')}`);
  // long enough to be stored once for both commands, and not compressed by PostgreSQL
  const values = `password: ${secrets[0]} # ${randomBytes(600).toString('hex')}`;
  const waiting = plane.install('edge-2', { releaseName: 'later', chartName: 'c', values }, { deliverWithin: '1h' });
  const agent = await rawAgent(agentUrl);
  const { key, result } = plane.install('edge-1', { releaseName: 'web', chartName: 'c', values });
  await agent.packet('install_release');
  agent.send('accepted', { durable: false }, key);
  const status = { seq: 1, step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z', message: secrets[1] };
  agent.send('status', status, key);
  agent.send('result', { ...installed, release: { ...installed.release, manifest: secrets[2] } }, key);
  await result;
  await waiting.stored;
  const webhook = await fetch(`${url}/api/webhooks`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ url: 'https://hooks.example/in', events: ['agent.connected'] }),
  });
  const { secret } = (await webhook.json()) as { secret: string };
  secrets.push(secret.replace('whsec_', ''));
  const found = await foundIn(folder, secrets);
  await plane.close();
  return { secrets, found, values, waiting: waiting.key, ended: key };
}

each('payloads, packets and secrets of webhooks are not in the files', async (t, kept) => {
  const encryption = await keysOf(t, newKey());
  const { secrets, found, values, waiting, ended } = await run(t, kept, encryption);
  t.deepEqual(found, []);
  t.deepEqual(await foundIn(kept.folder, secrets), []);

  const { plane, agentUrl } = await testPlane(t, { store: kept.open(), encryption });
  const agent = await rawAgent(agentUrl, { agentId: 'edge-2' });
  const sent = await agent.packet('install_release');
  t.is(sent.key, waiting);
  t.like(JSON.parse(sent.payload ?? ''), { values });
  t.like(await plane.command(ended)?.result, { ok: true, release: { manifest: secrets[2] } });
  t.deepEqual(await foundIn(kept.folder, secrets), []);
});

each('the test finds payloads and results that are not encrypted', async (t, kept) => {
  const { secrets, found } = await run(t, kept);
  t.deepEqual(found, secrets);
});

each('what was stored before stays readable, and its payloads are encrypted', async (t, kept) => {
  const before = kept.open();
  await before.open();
  const envelope = '{"payloadType":"a"}';
  const entries = [{ collection: 'webhook', id: 'a', text: '{"secret":1}' }];
  const commands = [record('a', { payload: '{"values":1}', envelope })];
  await before.write(batch({ commands, events: [event('a', 1)], entries }));
  await before.close();

  const encryption = await keysOf(t, newKey());
  const store = createEncryptedStore(kept.open(), encryption);
  t.like(await store.open(), { commands, entries });
  await store.write(batch({ events: [event('a', 2)] }));
  t.deepEqual(
    await store.events('a'),
    [1, 2].map((id) => ({ event: event('a', id).event, bytes: 256 })),
  );
  await store.close();

  const raw = kept.open();
  const contents = await raw.open();
  t.regex(contents.commands[0]?.payload ?? '', /^encrypted:1:1:/);
  t.regex(contents.commands[0]?.envelope ?? '', /^encrypted:1:1:/);
  t.regex(contents.entries?.find(({ id }) => id === 'a')?.text ?? '', /^encrypted:1:1:/);
  await raw.close();
});

each('a key is replaced with an overlap, after which the one before is not needed', async (t, kept) => {
  const [first, second] = [newKey(), newKey()];
  const open = async (...lines: string[]) => {
    const store = createEncryptedStore(kept.open(), await keysOf(t, ...lines));
    t.teardown(() => store.close());
    const commands = await store.open().then(
      (contents) => contents.commands.map(({ key }) => key),
      async (error: unknown) => {
        await store.close();
        throw error;
      },
    );
    return { store, commands };
  };
  const before = await open(first);
  await before.store.write(batch({ commands: [record('a')], events: [event('a', 1)] }));
  await before.store.close();
  await t.throwsAsync(open(second), {
    code: 'store_unavailable',
    message: /does not have the key [0-9a-f]{16}; add it/,
  });

  const overlap = await open('# the new key', second, first);
  t.deepEqual(overlap.commands, ['a']);
  await overlap.store.write(batch({ commands: [record('b')], events: [event('b', 1)] }));
  await overlap.store.close();

  const after = await open(second);
  t.deepEqual(after.commands, ['a', 'b']);
  for (const key of ['a', 'b']) t.is((await after.store.events(key)).length, 1);
  await after.store.close();
  await t.throwsAsync(open(first), { code: 'store_unavailable' });
});

each('encrypted data is not opened without its keys', async (t, kept) => {
  const store = createEncryptedStore(kept.open(), await keysOf(t, newKey()));
  await store.open();
  await store.close();
  const plain = createEncryptedStore(kept.open(), undefined);
  await t.throwsAsync(plain.open(), { code: 'store_unavailable', message: /--encryption-key-file/ });
  await plain.close();
});

test('a text that was changed, or moved to another command, is not decrypted', async (t) => {
  const path = await temporaryFile(t);
  const encryption = await keysOf(t, newKey());
  const store = createEncryptedStore(createSqliteStore(path), encryption);
  await store.open();
  const commands = ['a', 'b', 'c'].map((key) => record(key, { state: 'done', payload: undefined }));
  await store.write(batch({ commands, events: [event('a', 1), event('b', 1), event('c', 1)] }));
  await store.close();
  const database = new DatabaseSync(path);
  const place = '(SELECT position FROM commands WHERE key = ?)';
  database
    .prepare(
      `UPDATE events SET payload = (SELECT payload FROM events WHERE command = ${place}) WHERE command = ${place}`,
    )
    .run('b', 'a');
  database
    .prepare(`UPDATE events SET payload = replace(payload, substr(payload, 40, 4), 'AAAA') WHERE command = ${place}`)
    .run('c');
  database.close();
  const again = createEncryptedStore(createSqliteStore(path), encryption);
  t.teardown(() => again.close());
  await again.open();
  t.is((await again.events('b')).length, 1);
  for (const key of ['a', 'c']) {
    await t.throwsAsync(again.events(key), { code: 'store_unavailable', message: /was changed/ });
  }
});

test('equal texts are encrypted differently', async (t) => {
  const inner = createMemoryStore();
  const store = createEncryptedStore(inner, await keysOf(t, newKey()));
  await store.open();
  await store.write(batch({ commands: [record('a')] }));
  const payload = async () => (await inner.open()).commands[0]?.payload;
  const first = await payload();
  await store.write(batch({ commands: [record('a')] }));
  t.not(await payload(), first);
});

test('a key can be that of a service, which encrypts the keys of the data only', async (t) => {
  const calls: string[] = [];
  const service = {
    currentKeyId: 'arn:key/1',
    encrypt(dataKey: Uint8Array) {
      calls.push('encrypt');
      return Promise.resolve(dataKey.map((byte) => byte ^ 0x55));
    },
    decrypt(keyId: string, encrypted: Uint8Array) {
      calls.push(`decrypt ${keyId}`);
      return Promise.resolve(encrypted.map((byte) => byte ^ 0x55));
    },
  };
  const inner = createMemoryStore();
  const store = createEncryptedStore(inner, service);
  await store.open();
  for (let id = 0; id < 10; id++) await store.write(batch({ commands: [record(String(id))] }));
  t.is((await createEncryptedStore(inner, service).open()).commands.length, 10);
  t.deepEqual(calls, ['encrypt', 'decrypt arn:key/1']);
  const refusing = { ...service, decrypt: () => Promise.reject(new Error('access denied')) };
  await t.throwsAsync(createEncryptedStore(inner, refusing).open(), {
    code: 'store_unavailable',
    message: 'the keys of the encrypted data cannot be read: access denied',
  });
});

test('a file of keys is checked, and its errors do not contain keys', async (t) => {
  const short = randomBytes(16).toString('base64');
  const error = await t.throwsAsync(keysOf(t, newKey(), short), { name: 'EncryptionKeysError', message: /line 2 of/ });
  t.false(error.message.includes(short));
  await t.throwsAsync(keysOf(t, 'password'), { message: /line 1 of .* must be a key: 32 bytes in base64/ });
  await t.throwsAsync(keysOf(t, '# none', ''), { message: /has no key; write one with: openssl rand -base64 32/ });
  await t.throwsAsync(keysOf(t, ...Array.from({ length: 101 }, newKey)), { message: /more than 100 keys/ });
  await t.throwsAsync(keysOf(t, 'a'.repeat(70_000)), { message: /has more than 65536 bytes/ });
  await t.throwsAsync(openEncryptionKeys('/missing'), { message: /cannot read the encryption keys in \/missing/ });
});
