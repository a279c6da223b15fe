import type { KubeObject } from '../../src/objects/object.ts';
import { adopt, type AdoptRequest } from '../../src/operation/adopt.ts';
import { list } from '../../src/operation/list.ts';
import { decodeHelm2Release } from '../../src/release/helm2/decode-helm2.ts';
import { type TillerRecords, tillerRecords } from '../../src/release/helm2/tiller-records.ts';
import { helm2Records } from '../release/helm2/records.ts';
import { tillerRecord } from '../release/helm2/tiller-record.ts';
import { configMap } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from './world.ts';

const test = sandboxTest();
const chart = textChart({ 'a.yaml': configMap('a', 'new'), 'b.yaml': configMap('b') });

interface Tiller {
  records: TillerRecords;
  unreadable: string[];
  adopt(request?: Partial<AdoptRequest>): Promise<number[]>;
}

/** Stores records in the namespace of the world, which also is that of Tiller. */
async function tiller(world: World, ...objects: KubeObject[]): Promise<Tiller> {
  const { cluster, namespace } = world;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const object of objects) {
    await cluster.create({ ...object, metadata: { ...object.metadata, namespace } });
  }
  const unreadable: string[] = [];
  const records = tillerRecords({
    cluster,
    decode: (encoded) => decodeHelm2Release(encoded, 1024 * 1024),
    onUnreadable: ({ message }) => void unreadable.push(message),
  })(namespace);
  return {
    records,
    unreadable,
    async adopt(request) {
      const adopted = await adopt(world.context(), { namespace, releaseName, tiller: records, ...request });
      return adopted.map(({ version }) => version);
    },
  };
}

/** Returns three records of the release of the world. */
function threeRecords({ namespace }: World): KubeObject[] {
  const manifest = `---\n# Source: web/templates/a.yaml\n${configMap('a', 'old')}`;
  const release = { name: releaseName, namespace, manifest, values: 'size: 3' };
  return [3, 3, 1].map((status, index) => tillerRecord(namespace, { ...release, version: index + 1, status }));
}

test('stores the revisions of Helm 2 as those of Helm 3, and leaves objects and records as they are', async (t) => {
  const world = newWorld(t);
  const records = threeRecords(world);
  const helm2 = await tiller(world, ...records);
  t.deepEqual(await helm2.adopt(), [1, 2, 3]);
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:deployed']);
  t.like(await world.stored(3), {
    namespace: world.namespace,
    config: { size: 3 },
    chart: { metadata: { name: 'web', version: '1.3.0' } },
    info: { last_deployed: '2020-01-26T00:53:20Z' },
  });
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.like(await world.find('ConfigMap', 'web.v1'), { data: records[0]?.['data'] });
});

test('an upgrade continues an adopted release: it changes, adds and owns the objects', async (t) => {
  const world = newWorld(t, chart);
  const helm2 = await tiller(world, ...threeRecords(world));
  const { namespace, cluster } = world;
  const own = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace }, data: { value: 'old' } };
  await cluster.create(own);
  await helm2.adopt();
  await world.upgrade(chart);
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:superseded', '4:deployed']);
  t.like(await world.find('ConfigMap', 'a'), {
    data: { value: 'new' },
    metadata: {
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': releaseName, 'meta.helm.sh/release-namespace': namespace },
    },
  });
  t.truthy(await world.find('ConfigMap', 'b'));
});

test('an adopted release can be uninstalled, although its objects have no owner yet', async (t) => {
  const world = newWorld(t);
  const helm2 = await tiller(world, ...threeRecords(world));
  const { namespace, cluster } = world;
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } });
  await helm2.adopt();
  await world.uninstall();
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('a dry run returns the revisions, and stores none', async (t) => {
  const world = newWorld(t);
  const helm2 = await tiller(world, ...threeRecords(world));
  t.deepEqual(await helm2.adopt({ dryRun: true }), [1, 2, 3]);
  t.deepEqual(await world.history(), []);
});

test('adopts only the newest revisions up to the limit', async (t) => {
  const world = newWorld(t);
  const helm2 = await tiller(world, ...threeRecords(world));
  t.deepEqual(await helm2.adopt({ historyLimit: 2 }), [2, 3]);
  t.deepEqual(await world.history(), ['2:superseded', '3:deployed']);
});

test('completes an adoption that has ended early', async (t) => {
  const world = newWorld(t);
  const helm2 = await tiller(world, ...threeRecords(world));
  await helm2.adopt();
  const { storage } = world.context();
  const last = await storage.get({ namespace: world.namespace, name: releaseName, version: 3 });
  if (last) await storage.delete(last);
  t.deepEqual(await helm2.adopt(), [3]);
  t.deepEqual(await helm2.adopt(), []);
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:deployed']);
});

test('refuses a name that is in use', async (t) => {
  const world = newWorld(t, chart);
  const helm2 = await tiller(world, ...threeRecords(world));
  await world.install(chart);
  const error = await t.throwsAsync(helm2.adopt());
  t.like(error, { code: 'release_exists' });
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('refuses another namespace than that of the release, and says which it is', async (t) => {
  const world = newWorld(t);
  const helm2 = await tiller(world, ...threeRecords(world));
  const message = `release web of Helm 2 is in namespace ${world.namespace}, not other; give that namespace`;
  await t.throwsAsync(helm2.adopt({ namespace: 'other' }), { code: 'release_not_found', message });
  await t.throwsAsync(helm2.adopt({ releaseName: 'missing' }), { message: 'Helm 2 has no release missing' });
});

test('leaves out an older revision that cannot be read, and refuses if it is the newest', async (t) => {
  const world = newWorld(t);
  const [first, second, third] = threeRecords(world);
  const broken = (record?: KubeObject) => ({ ...record, data: { release: 'AAAA' } }) as KubeObject; // with another text
  const helm2 = await tiller(world, broken(first), ...[second, third].flatMap((record) => record ?? []));
  t.deepEqual(await helm2.adopt(), [2, 3]);
  t.regex(helm2.unreadable[0] ?? '', /ConfigMap .*\/web.v1: the stored release is not one of Helm 2/);
  const other = newWorld(t);
  const stored = threeRecords(other);
  const broken2 = await tiller(other, ...stored.slice(0, 2), broken(stored[2]));
  await t.throwsAsync(broken2.adopt(), { code: 'release_corrupt' });
  t.deepEqual(await other.history(), []);
});

test('lists the newest revisions of Helm 2 by the rules of all lists', async (t) => {
  const world = newWorld(t);
  const helm2 = await tiller(world, ...(await helm2Records()).map(({ configMap }) => configMap));
  const listed = async (request: Parameters<typeof list>[1] = {}) => {
    const { releases } = await list(world.context(), { storage: helm2.records, ...request });
    return releases.map(({ namespace, name, version, info }) => `${namespace}/${name} ${version} ${info.status}`);
  };
  const [old, state, web] = ['attic/old 1 uninstalled', 'attic/state 9 pending-rollback', 'shop/web 3 failed'];
  t.deepEqual(await listed(), [old, state, web]);
  t.deepEqual(await listed({ namespace: 'shop' }), [web]);
  t.deepEqual(await listed({ statuses: ['uninstalled'] }), [old]);
  t.deepEqual(await listed({ statuses: ['superseded'] }), ['shop/web 1 superseded']);
  t.deepEqual(await listed({ selector: 'NAME=web' }), [web]);
  t.deepEqual(await listed({ filter: '^o', max: 1 }), [old]);
});
