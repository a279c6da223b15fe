import { randomBytes } from 'node:crypto';
import test from 'ava';
import { decodeRelease } from '../../../src/release/codec.ts';
import type { ReleaseError } from '../../../src/release/error.ts';
import type { Release } from '../../../src/release/release.ts';
import { type StorageDriver, storageDrivers } from '../../../src/release/storage/drivers.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import { steppingHost } from '../../support/host.ts';
import { ObjectsInMemory } from '../objects-in-memory.ts';
import { sampleRelease } from '../sample-release.ts';

const key = { namespace: 'shop', name: 'web', version: 3 };

/** Returns a release of 2.0 MiB, compressed. */
function largeRelease(): Release {
  const hook = { name: 'j', kind: 'Job', path: 'p', manifest: 'kind: Job\n', events: ['pre-upgrade'] };
  return {
    ...sampleRelease('web', 3, 'pending-upgrade', 'shop'),
    manifest: `---\n# Source: mini/templates/a.yaml\n# ${randomBytes(1_500_000).toString('hex')}\n`,
    hooks: [{ ...hook, last_run: { phase: '' } }],
    apply_method: 'ssa',
  };
}

function setUp(driver: StorageDriver = 'secret') {
  const cluster = new ObjectsInMemory();
  const unreadable: ReleaseError[] = [];
  const storage = openStorage(driver, {
    cluster,
    host: steppingHost(),
    onUnreadable: (error) => unreadable.push(error),
  });
  return { cluster, unreadable, storage };
}

for (const driver of storageDrivers) {
  test(`${driver}: a large release is stored in parts and read again`, async (t) => {
    const { cluster, storage } = setUp(driver);
    const release = largeRelease();
    const stored = await storage.create(release, { team: 'blue' }, undefined, { chunked: true });
    t.is(stored.parts?.count, 3);
    t.like(await storage.get(key), { release, labels: { team: 'blue', owner: 'helm' }, parts: stored.parts });
    t.like((await storage.query({ name: 'web' }))[0], { release });
    for (const object of cluster.objects.values()) {
      t.true(JSON.stringify(object).length < 1.5 * 1024 * 1024);
      const isHead = object.metadata.name === 'sh.helm.release.v1.web.v3';
      t.is(object.metadata.labels?.['owner'], isHead ? 'helm' : 'helm-agent');
    }
  });
}

test('a release that fits in a Secret is stored as helm does, with the option too', async (t) => {
  const { cluster, storage } = setUp();
  const stored = await storage.create(sampleRelease('web', 3, 'deployed', 'shop'), {}, undefined, { chunked: true });
  t.is(stored.parts, undefined);
  t.is(cluster.objects.size, 1);
});

test('without the option, a large release is refused with what to do, before and when it is stored', async (t) => {
  const { cluster, storage } = setUp();
  const release = largeRelease();
  const message =
    /^release web is too large: 2\.\d MiB compressed, but a Secret holds at most 1 MiB; make the chart smaller, or allow several with storage: "chunked"$/;
  await t.throwsAsync(storage.create(release, {}), { code: 'release_too_large', message });
  await t.throwsAsync(storage.requireFit(release), { code: 'release_too_large', message });
  await storage.requireFit(release, { chunked: true });
  await storage.requireFit(sampleRelease('web', 1, 'deployed'));
  t.is(cluster.objects.size, 0);
});

test('a change of the status only writes the head', async (t) => {
  const { cluster, storage } = setUp();
  const stored = await storage.create(largeRelease(), {}, undefined, { chunked: true });
  const before = new Map(cluster.objects);
  const hooks = stored.release.hooks?.map((hook) => ({ ...hook, last_run: { phase: 'Succeeded' } }));
  const info = { ...stored.release.info, status: 'deployed' as const, description: 'Upgrade complete' };
  await storage.update({ ...stored, release: { ...stored.release, info, ...(hooks && { hooks }) } });
  const found = await storage.get(key);
  t.like(found?.release, { info, hooks: [{ manifest: 'kind: Job\n', last_run: { phase: 'Succeeded' } }] });
  t.is(found?.release.manifest, stored.release.manifest);
  const changed = [...cluster.objects].filter(([name, object]) => before.get(name) !== object);
  t.deepEqual(
    changed.map(([name]) => name),
    ['Secret shop/sh.helm.release.v1.web.v3'],
  );
});

test('a list of summaries reads no parts', async (t) => {
  const { cluster, storage } = setUp();
  await storage.create(largeRelease(), {}, undefined, { chunked: true });
  cluster.read.length = 0;
  const [found] = await storage.query({ latestOnly: true, summary: true });
  t.like(found?.release, { name: 'web', version: 3, chart: { metadata: { name: 'mini' } } });
  t.deepEqual(cluster.read, ['sh.helm.release.v1.web.v3']);
});

test('a revision that helm has copied from a head has the content of that', async (t) => {
  const { cluster, storage } = setUp();
  const { release } = await storage.create(largeRelease(), {}, undefined, { chunked: true });
  const head = cluster.objects.get('Secret shop/sh.helm.release.v1.web.v3');
  if (head === undefined) throw new Error('no head');
  const encoded = Buffer.from((head['data'] as { release: string }).release, 'base64').toString();
  const copied = await decodeRelease(encoded);
  const info = { status: 'pending-rollback', description: 'Rollback to 3' } as const;
  await storage.create({ ...copied, version: 4, info }, {});
  const found = await storage.get({ ...key, version: 4 });
  t.like(found?.release, { version: 4, info, manifest: release.manifest });
});

test('says which part is missing or wrong', async (t) => {
  const { cluster, storage } = setUp();
  await storage.create(largeRelease(), {}, undefined, { chunked: true });
  const [name = '', part] = [...cluster.objects].find(([, { metadata }]) => metadata.name.endsWith('.2')) ?? [];
  cluster.objects.delete(name);
  await t.throwsAsync(storage.get(key), {
    code: 'release_corrupt',
    message: /^part 2 of 3, sh\.helm\S+\.2, is missing$/,
  });
  if (part) cluster.objects.set(name, { ...part, data: { part: '' } });
  await t.throwsAsync(storage.get(key), { code: 'release_corrupt', message: /do not fit together/ });
});

test('a revision that exists already leaves no parts behind', async (t) => {
  const { cluster, storage } = setUp();
  await storage.create(sampleRelease('web', 3, 'deployed', 'shop'), {});
  const chunked = { chunked: true };
  await t.throwsAsync(storage.create(largeRelease(), {}, undefined, chunked), { code: 'release_exists' });
  t.is(cluster.objects.size, 1);
});
