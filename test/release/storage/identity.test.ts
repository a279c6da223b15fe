import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { decodeRelease, encodeRelease } from '../../../src/release/codec.ts';
import type { ReleaseError } from '../../../src/release/error.ts';
import type { Release } from '../../../src/release/release.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import { steppingHost } from '../../support/host.ts';
import { ObjectsInMemory } from '../objects-in-memory.ts';
import { sampleRelease } from '../sample-release.ts';

const drivers = { Secret: 'secret', ConfigMap: 'configmap' } as const;
type Kind = keyof typeof drivers;

function setUp(kind: Kind) {
  const cluster = new ObjectsInMemory();
  const unreadable: string[] = [];
  const onUnreadable = ({ message }: ReleaseError) => void unreadable.push(message);
  return { cluster, unreadable, storage: openStorage(drivers[kind], { cluster, host: steppingHost(), onUnreadable }) };
}

/** Stores content in an object of the release web in the namespace tenant. */
async function plant(
  cluster: ObjectsInMemory,
  kind: Kind,
  content: Release,
  { name = 'sh.helm.release.v1.web.v1', labels = {} }: { name?: string; labels?: Record<string, string> } = {},
): Promise<void> {
  const encoded = await encodeRelease(content);
  const release = kind === 'Secret' ? Buffer.from(encoded).toString('base64') : encoded;
  const known = { owner: 'helm', name: 'web', version: '1', status: content.info.status };
  const metadata = { namespace: 'tenant', name, labels: { ...known, ...labels } };
  await cluster.create({ apiVersion: 'v1', kind, metadata, data: { release } });
}

const own = sampleRelease('web', 1, 'superseded', 'tenant');

const forgeries: Record<string, { content: Release; object?: Parameters<typeof plant>[3]; problem: string }> = {
  'of another namespace': { content: { ...own, namespace: 'prod' }, problem: 'the namespace in its content' },
  'of another release': { content: { ...own, name: 'db' }, problem: 'the name or the revision in its content' },
  'of another revision': { content: { ...own, version: 2 }, problem: 'the name or the revision in its content' },
  'in an object with another name': {
    content: own,
    object: { name: 'forged' },
    problem: 'the name or the revision in its content',
  },
  'in an object with the label of another release': {
    content: { ...own, name: 'db' },
    object: { name: 'sh.helm.release.v1.db.v1' },
    problem: 'the label name',
  },
  'in an object with the label of another revision': {
    content: { ...own, version: 2 },
    object: { name: 'sh.helm.release.v1.web.v2' },
    problem: 'the label version',
  },
};

const isForged = test.macro({
  title: (_, kind: Kind, what: string) => `${kind}: content ${what} is release_corrupt`,
  async exec(t: ExecutionContext, kind: Kind, what: string) {
    const { content, object, problem } = forgeries[what] ?? { content: own, problem: '' };
    const { cluster, unreadable, storage } = setUp(kind);
    await plant(cluster, kind, content, object);
    const name = object?.name ?? 'sh.helm.release.v1.web.v1';
    const message = `${kind} tenant/${name}: ${problem} is not that of the ${kind}`;
    await t.throwsAsync(storage.query({ namespace: 'tenant', name: 'web' }), { code: 'release_corrupt', message });
    t.deepEqual(await storage.query({ latestOnly: true }), []);
    t.deepEqual(unreadable, [message, message]);
    const version = Number(/\.v(\d+)$/.exec(name)?.[1] ?? 0);
    if (version === 0) return;
    const key = { namespace: 'tenant', name: name.includes('.db.') ? 'db' : 'web', version };
    await t.throwsAsync(storage.get(key), { code: 'release_corrupt', message });
  },
});

for (const kind of ['Secret', 'ConfigMap'] as const) {
  for (const what of Object.keys(forgeries)) test(isForged, kind, what);

  test(`${kind}: a release without a namespace is one of the namespace that has it`, async (t) => {
    const { cluster, storage } = setUp(kind);
    await plant(cluster, kind, { ...own, namespace: '' });
    const [found] = await storage.query({ name: 'web' });
    t.is(found?.release.namespace, 'tenant');
  });

  test(`${kind}: a deletion only deletes the revision as it was read`, async (t) => {
    const { cluster, storage } = setUp(kind);
    const read = await storage.create(own, {});
    const changed = await storage.update(read);
    await t.throwsAsync(storage.delete(read), { code: 'release_conflict' });
    t.true(await storage.delete(changed));
    const another = await storage.create(own, {});
    t.false(await storage.delete(changed), 'another object with the same name is left');
    t.true(await storage.delete(another));
    t.is(cluster.objects.size, 0);
  });
}

test('a list shows the newest revision that can be read, and says what it leaves out', async (t) => {
  const { cluster, storage } = setUp('Secret');
  for (const version of [1, 2, 3, 4]) await storage.create({ ...own, version }, {});
  for (const version of [3, 4]) {
    const broken = cluster.objects.get(`Secret tenant/sh.helm.release.v1.web.v${version}`);
    if (broken) broken['data'] = { release: 'AAAA' };
  }
  const leftOut: string[] = [];
  const onUnreadable = ({ message }: ReleaseError) => void leftOut.push(message);
  const [latest] = await storage.query({ latestOnly: true, onUnreadable });
  t.is(latest?.release.version, 2);
  t.deepEqual(
    leftOut.map((message) => message.slice(0, 41)),
    [4, 3].map((version) => `Secret tenant/sh.helm.release.v1.web.v${version}: `),
  );
});

test('a release of which nothing can be read is no error for a query that reports it', async (t) => {
  const { cluster, storage } = setUp('Secret');
  await plant(cluster, 'Secret', { ...own, name: 'db' });
  const leftOut: string[] = [];
  const onUnreadable = ({ message }: ReleaseError) => void leftOut.push(message);
  t.deepEqual(await storage.query({ namespace: 'tenant', name: 'web', onUnreadable }), []);
  t.is(leftOut.length, 1);
});

test('a revision does not get the parts of another release', async (t) => {
  const { cluster, storage } = setUp('Secret');
  const manifest = `# ${randomBytes(1_000_000).toString('hex')}\n`;
  const db = { ...sampleRelease('db', 1, 'deployed', 'tenant'), manifest };
  await storage.create(db, {}, undefined, { chunked: true });
  for (const [key, object] of cluster.objects) {
    const renamed = structuredClone(object);
    renamed.metadata.name = renamed.metadata.name.replace('.db.', '.web.');
    cluster.objects.set(key.replace('.db.', '.web.'), renamed);
  }
  const head = cluster.objects.get('Secret tenant/sh.helm.release.v1.db.v1');
  const marker = Buffer.from((head?.['data'] as { release: string }).release, 'base64').toString();
  cluster.objects.delete('Secret tenant/sh.helm.release.v1.web.v1');
  await plant(cluster, 'Secret', { ...(await decodeRelease(marker)), name: 'web' });
  const error = await t.throwsAsync(storage.get({ namespace: 'tenant', name: 'web', version: 1 }));
  t.like(error, { code: 'release_corrupt', message: 'the parts are those of another release' });
});

test('a part that exists with another content is not used', async (t) => {
  const { cluster, storage } = setUp('Secret');
  const manifest = `# ${randomBytes(1_000_000).toString('hex')}\n`;
  const stored = await storage.create({ ...own, manifest }, {}, undefined, { chunked: true });
  await storage.delete(stored);
  const part = [...cluster.objects.values()].find(({ metadata }) => metadata.name.endsWith('.1'));
  if (part) part['data'] = { part: 'AAAA' };
  const error = await t.throwsAsync(storage.create({ ...own, manifest }, {}, undefined, { chunked: true }));
  t.like(error, { code: 'release_conflict' });
  t.regex(error.message, /^the Secret tenant\/sh\.helm\.\S+\.1 exists with another content; delete it$/);
});
