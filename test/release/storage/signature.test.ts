import { randomBytes } from 'node:crypto';
import test from 'ava';
import type { KubeObject } from '../../../src/objects/object.ts';
import { decodeRelease, encodeRelease } from '../../../src/release/codec.ts';
import { type Release, withStatus } from '../../../src/release/release.ts';
import { type StorageDriver, storageDrivers } from '../../../src/release/storage/drivers.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import type { ReleaseStorage } from '../../../src/release/storage/storage.ts';
import { steppingHost } from '../../support/host.ts';
import { ObjectsInMemory } from '../objects-in-memory.ts';
import { sampleRelease } from '../sample-release.ts';

const annotation = 'helm-agent/signature';
const signingKey = Buffer.alloc(32, 7);

function setUp(driver: StorageDriver = 'secret', cluster = new ObjectsInMemory()) {
  const options = { cluster, host: steppingHost(), onUnreadable: () => undefined };
  const own = openStorage(driver, {
    ...options,
    holder: { agentId: 'a', instanceId: 'i' },
    signingKey: () => signingKey,
  });
  // like helm: labels and data of its own, and no annotations
  return { cluster, own, helm: openStorage(driver, options) };
}

const web = (version: number, status: Release['info']['status'] = 'deployed') =>
  sampleRelease('web', version, status, 'shop');

async function read(storage: ReleaseStorage, version = 1, name = 'web', namespace = 'shop') {
  const stored = await storage.get({ namespace, name, version });
  if (stored === undefined) throw new Error('the revision is gone');
  return stored;
}

async function isOwn(storage: ReleaseStorage, version = 1, name = 'web', namespace = 'shop'): Promise<boolean> {
  const stored = await read(storage, version, name, namespace);
  const queried = await storage.query({ namespace, name });
  const same = queried.find(({ release }) => release.version === version);
  if (same?.isOwn !== stored.isOwn) throw new Error('get and query disagree');
  return stored.isOwn === true;
}

function objectOf(cluster: ObjectsInMemory, name: string): KubeObject {
  const found = [...cluster.objects.values()].find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return structuredClone(found);
}

const record = (version: number) => `sh.helm.release.v1.web.v${version}`;

for (const driver of storageDrivers) {
  test(`${driver}: what the agent has created and updated is its own`, async (t) => {
    const { own } = setUp(driver);
    const stored = await own.create(web(1, 'pending-install'), {}, undefined, { isOwn: true });
    t.true(stored.isOwn);
    t.true(await isOwn(own));
    t.true((await own.update({ ...stored, release: withStatus(stored.release, 'deployed', 'done') })).isOwn);
    t.true(await isOwn(own));
  });

  test(`${driver}: an update by the agent does not make the record of another client its own`, async (t) => {
    const { cluster, own, helm } = setUp(driver);
    await helm.create(web(1), {});
    const stored = await read(own);
    t.false(stored.isOwn);
    t.false((await own.update({ ...stored, release: withStatus(stored.release, 'superseded', '') })).isOwn);
    t.false(await isOwn(own));
    t.is(objectOf(cluster, record(1)).metadata.annotations?.[annotation], undefined);
  });

  test(`${driver}: a large record is its own together with its parts, and not with others`, async (t) => {
    const { cluster, own } = setUp(driver);
    const large = { ...web(1), manifest: `---\n# ${randomBytes(1_000_000).toString('hex')}\n` };
    const other = { ...large, manifest: `---\n# ${randomBytes(1_000_000).toString('hex')}\n` };
    const options = { chunked: true, isOwn: true };
    const stored = await own.create(large, {}, undefined, options);
    t.true(await isOwn(own));
    t.true((await own.update({ ...stored, release: withStatus(stored.release, 'superseded', '') })).isOwn);
    t.true(await isOwn(own));
    const { parts } = await own.create({ ...other, version: 2 }, {}, undefined, options);
    const partOf = (digest: string, version: number) => `${record(version)}.${digest.slice(0, 12)}.1`;
    const swapped = objectOf(cluster, partOf(stored.parts?.digest ?? '', 1));
    await cluster.replace({ ...swapped, data: objectOf(cluster, partOf(parts?.digest ?? '', 2))['data'] });
    await t.throwsAsync(read(own), { code: 'release_corrupt', message: /do not fit together/ });
    // a head that names the parts of another revision
    const head = objectOf(cluster, record(2));
    const data = head['data'] as { release: string };
    const text = driver === 'secret' ? Buffer.from(data.release, 'base64').toString() : data.release;
    const changed = await encodeRelease({ ...(await decodeRelease(text)), hooks: [] });
    const release = driver === 'secret' ? Buffer.from(changed).toString('base64') : changed;
    await cluster.replace({ ...head, data: { release } });
    t.false(await isOwn(own, 2));
  });
}

test('a new revision whose content comes from another client is not signed', async (t) => {
  const { own } = setUp();
  t.false((await own.create(web(2), {}, undefined, { isOwn: false })).isOwn);
  t.false((await own.create(web(3), {})).isOwn);
  t.false(await isOwn(own, 2));
  t.false(await isOwn(own, 3));
});

test('a record that helm has written again is not own any more', async (t) => {
  const { own, helm } = setUp();
  await own.create(web(1), {}, undefined, { isOwn: true });
  const stored = await read(helm);
  await helm.update({ ...stored, release: withStatus(stored.release, 'superseded', '') });
  t.false(await isOwn(own));
});

test('a record stays own if only its labels change, as to repair a release', async (t) => {
  const { cluster, own } = setUp();
  await own.create(web(1), {}, undefined, { isOwn: true });
  const object = objectOf(cluster, record(1));
  const labels = { ...object.metadata.labels, status: 'failed' };
  await cluster.replace({ ...object, metadata: { ...object.metadata, labels } });
  t.true(await isOwn(own));
});

test('nothing is signed or recognized without a key, or with another one', async (t) => {
  const { cluster, own } = setUp();
  await own.create(web(1), {}, undefined, { isOwn: true });
  const options = { cluster, host: steppingHost(), onUnreadable: () => undefined };
  const none = openStorage('secret', { ...options, signingKey: () => undefined });
  t.false(await isOwn(none));
  t.false((await none.create(web(2), {}, undefined, { isOwn: true })).isOwn);
  t.is(objectOf(cluster, record(2)).metadata.annotations, undefined);
  t.false(await isOwn(openStorage('secret', { ...options, signingKey: () => Buffer.alloc(32, 8) })));
  t.false(await isOwn(own, 2));
});

/** Changes of an own record by a tenant who can write in its namespace. */
const forgeries: Record<string, (object: KubeObject) => Promise<KubeObject> | KubeObject> = {
  'with a hook that a tenant has added': (object) => withContent(object, (release) => ({ ...release, hooks: [hook] })),
  'with another manifest': (object) => withContent(object, (release) => ({ ...release, manifest: '---\n' })),
  'with other values': (object) => withContent(object, (release) => ({ ...release, config: { a: 1 } })),
  'copied to another name': (object) =>
    withContent(named(object, 'db', 'shop', 1), (release) => ({ ...release, name: 'db' })),
  'copied to another namespace': (object) =>
    withContent(named(object, 'web', 'prod', 1), (release) => ({ ...release, namespace: 'prod' })),
  'that names no namespace, copied to another one': (object) =>
    withContent(named(object, 'web', 'prod', 1), (release) => ({ ...release, namespace: '' })),
  'replayed as a newer revision': (object) =>
    withContent(named(object, 'web', 'shop', 2), (release) => ({ ...release, version: 2 })),
  'without its annotation': (object) => annotated(object, undefined),
  'with an empty annotation': (object) => annotated(object, ''),
  'with an annotation of megabytes': (object) => annotated(object, 'v1:'.padEnd(4_000_000, 'a')),
  'with an annotation of the right length': (object) => annotated(object, `v1:${'0'.repeat(64)}`),
  'with wide letters in its annotation': (object) => annotated(object, `v1:${'ł'.repeat(64)}`),
  'with the signature in capital letters': (object) =>
    annotated(object, object.metadata.annotations?.[annotation]?.toUpperCase()),
};

const hook = { name: 'h', kind: 'Job', path: 'p', manifest: 'kind: Job\n', events: ['test'], last_run: { phase: '' } };

async function withContent(object: KubeObject, change: (release: Release) => Release): Promise<KubeObject> {
  const { release } = object['data'] as { release: string };
  const content = await decodeRelease(Buffer.from(release, 'base64').toString());
  const encoded = await encodeRelease(change(content));
  return { ...object, data: { release: Buffer.from(encoded).toString('base64') } };
}

function named(object: KubeObject, name: string, namespace: string, version: number): KubeObject {
  const { metadata } = object;
  const labels = { ...metadata.labels, name, version: String(version) };
  return { ...object, metadata: { ...metadata, name: `sh.helm.release.v1.${name}.v${version}`, namespace, labels } };
}

function annotated(object: KubeObject, signature: string | undefined): KubeObject {
  const annotations = signature === undefined ? {} : { [annotation]: signature };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

for (const [what, forge] of Object.entries(forgeries)) {
  test(`a record ${what} is not own`, async (t) => {
    const { cluster, own } = setUp();
    await own.create(web(1), {}, undefined, { isOwn: true });
    const forged = await forge(objectOf(cluster, record(1)));
    const { name, namespace = '', labels = {} } = forged.metadata;
    if (name === record(1) && namespace === 'shop') await cluster.replace(forged);
    else await cluster.create(forged);
    t.false(await isOwn(own, Number(labels['version']), labels['name'], namespace));
  });
}
