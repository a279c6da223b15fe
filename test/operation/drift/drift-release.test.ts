import { guardedCluster } from '../../../src/objects/guarded-cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { driftRelease } from '../../../src/operation/drift/drift-release.ts';
import type { RequestOf } from '../../../src/operation/request.ts';
import { configMap, deployment } from '../manifests.ts';
import { type TextChart, textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();

const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: sentinel-one}\n`;
const chart = textChart({ 'a.yaml': configMap('a'), 'd.yaml': deployment('web', { replicas: 2 }), 's.yaml': secret });

async function installed(t: Parameters<typeof newWorld>[0], installedChart: TextChart = chart): Promise<World> {
  const world = newWorld(t, installedChart);
  await world.install(installedChart);
  return world;
}

const drift = (world: World, request: Partial<RequestOf<'drift_release'>> = {}) =>
  driftRelease(world.context(), { namespace: world.namespace, releaseName, ...request });

const a = (world: World) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' });
const web = (world: World) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' });
const autoscaler = (name: string, kind = 'Deployment', apiVersion = 'apps/v1'): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name },
  spec: { maxReplicas: 9, scaleTargetRef: { apiVersion, kind, name: 'web' } },
});

test('a release that no one has changed does not differ', async (t) => {
  const world = await installed(t);
  t.deepEqual(await drift(world), { revision: 1, drift: [], unchanged: 3 });
});

test('names the fields that were changed or removed, with both values and the manager, and changes nothing', async (t) => {
  const world = await installed(t);
  const { cluster } = world;
  await cluster.mergePatch(a(world), { data: { value: '2', other: 'x' } }, { fieldManager: 'kubectl-edit' });
  const image = { containers: [{ name: 'app', image: 'localhost/app:2' }] };
  const patch = { spec: { replicas: 5, template: { spec: image } } };
  await cluster.strategicMergePatch(web(world), patch, { fieldManager: 'kubectl-set' });
  await cluster.mergePatch(web(world), { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
  const { drift: found, unchanged } = await drift(world);
  t.is(unchanged, 1);
  const [config, workload] = found;
  t.like(config, { change: 'changed', kind: 'ConfigMap', name: 'a' });
  t.like(config?.fields, [{ path: 'data.value', found: '2', wanted: '1', manager: 'kubectl-edit' }]);
  t.is(config?.fields?.length, 1, 'fields that the release does not set do not count');
  t.deepEqual(
    workload?.fields?.map(({ time: _, ...field }) => field),
    [
      { path: 'metadata.labels', wanted: { 'app.kubernetes.io/managed-by': 'Helm' } },
      { path: 'spec.replicas', found: 5, wanted: 2, manager: 'kubectl-set' },
      {
        path: 'spec.template.spec.containers[name=app].image',
        ...{ found: 'localhost/app:2', wanted: 'localhost/app:1', manager: 'kubectl-set' },
      },
    ],
  );
  t.deepEqual((await cluster.get(a(world)))?.['data'], { value: '2', other: 'x' });
});

test('says that an object was deleted, unless the cluster deletes it when it has ended', async (t) => {
  const job = (name: string, spec: object) =>
    JSON.stringify({
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
      spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job' }] } } },
    });
  const jobs = textChart({ 'a.yaml': job('a', {}), 'b.yaml': job('b', { ttlSecondsAfterFinished: 0 }) });
  const world = await installed(t, jobs);
  for (const name of ['a', 'b']) {
    await world.cluster.delete({ apiVersion: 'batch/v1', kind: 'Job', namespace: world.namespace, name });
  }
  const { drift: found } = await drift(world);
  t.deepEqual(
    found.map(({ name, change }) => `${name} ${change}`),
    ['a deleted'],
  );
});

test('does not show values of Secrets, nor secrets of the release in other values', async (t) => {
  const world = await installed(t);
  const { cluster, namespace } = world;
  const key = Buffer.from('sentinel-two').toString('base64');
  await cluster.mergePatch({ apiVersion: 'v1', kind: 'Secret', namespace, name: 's' }, { data: { key } });
  await cluster.mergePatch(a(world), { data: { value: 'it is sentinel-one' } });
  const { drift: found } = await drift(world);
  t.notRegex(JSON.stringify(found), /sentinel|c2VudGluZWw/);
  t.deepEqual(
    found.map(({ fields }) => fields?.map(({ path, ...values }) => `${path}: ${String(values.found)}`)),
    [['data.key: ***'], ['data.value: it is ***']],
  );
});

test('ignores fields by pointers, of all objects, of a kind or of one object', async (t) => {
  const world = await installed(t);
  await world.cluster.mergePatch(a(world), { data: { value: '2' } });
  await world.cluster.mergePatch(web(world), { spec: { replicas: 4 } });
  const names = async (...ignore: string[]) => (await drift(world, { ignore })).drift.map(({ name }) => name);
  t.deepEqual(await names(), ['a', 'web']);
  t.deepEqual(await names('/data/value', '/spec'), []);
  t.deepEqual(await names('/data', '/spec/replicas'), []);
  t.deepEqual(await names('Deployment:/data/value', 'deployment:/spec/replicas'), ['a']);
  t.deepEqual(await names('ConfigMap/b:/data/value', 'Deployment/web:*'), ['a']);
  for (const wrong of ['data', '', 'ConfigMap:', '/a~2', 'a/b/c:/d', '**', 'ConfigMap/a', ':/spec']) {
    await t.throwsAsync(names(wrong), { code: 'bad_payload' }, wrong);
  }
});

test('ignores what the chart says of an object, and not what the live object says', async (t) => {
  const annotation = 'helm-agent/ignore-drift';
  const annotated = textChart({
    'a.yaml': configMap('a', '1', { [annotation]: '/data/value, /data/x' }),
    'b.yaml': configMap('b'),
  });
  const world = await installed(t, annotated);
  const patch = { metadata: { annotations: { [annotation]: '*' } }, data: { value: '2' } };
  await world.cluster.mergePatch(a(world), { data: patch.data });
  await world.cluster.mergePatch({ ...a(world), name: 'b' }, patch);
  t.deepEqual(
    (await drift(world)).drift.map(({ name }) => name),
    ['b'],
  );
});

test('the replicas of a workload do not count if an autoscaler sets them', async (t) => {
  const world = await installed(t);
  const { cluster, namespace } = world;
  await cluster.mergePatch(web(world), { spec: { replicas: 7 } });
  const create = (object: KubeObject) => cluster.create({ ...object, metadata: { ...object.metadata, namespace } });
  await create(autoscaler('a', 'StatefulSet'));
  await create(autoscaler('b', 'Deployment', 'e.io/v1'));
  t.is((await drift(world)).drift.length, 1);
  await create(autoscaler('c'));
  t.deepEqual((await drift(world)).drift, []);
});

test('what stop_release has set does not count', async (t) => {
  const world = await installed(t);
  const stopped = { metadata: { annotations: { 'helm-agent/stopped': '{"replicas":2}' } }, spec: { replicas: 0 } };
  await world.cluster.mergePatch(web(world), stopped);
  t.deepEqual((await drift(world)).drift, []);
});

test('says why an object could not be compared', async (t) => {
  const world = await installed(t);
  const cluster = guardedCluster(world.cluster, world.namespace, 'it is not accessible');
  const { drift: found } = await driftRelease(world.context({ cluster }), { namespace: world.namespace, releaseName });
  t.deepEqual(
    found.map(({ change, reason }) => `${change}: ${reason}`),
    Array(3).fill('unknown: it is not accessible'),
  );
});

test('long values are cut, and many fields are counted', async (t) => {
  const data = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key-${index}`, 'x']));
  const many = textChart({
    'a.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }),
  });
  const world = await installed(t, many);
  const long = Object.fromEntries(Object.keys(data).map((key) => [key, 'y'.repeat(2000)]));
  await world.cluster.mergePatch(a(world), { data: long });
  const [found] = (await drift(world)).drift;
  t.is(found?.fields?.length, 50);
  t.is(found?.omitted, 150);
  t.true(JSON.stringify(found).length < 40_000);
});

test('a release that does not exist, or that another operation works on, is an error', async (t) => {
  const world = await installed(t);
  await t.throwsAsync(drift(world, { releaseName: 'missing' }), { code: 'release_not_found' });
  const { storage } = world.context();
  const [stored] = await storage.query({ namespace: world.namespace, name: releaseName, latestOnly: true });
  if (stored === undefined) throw new Error('there is no revision');
  const { release } = stored;
  await storage.create({ ...release, version: 2, info: { ...release.info, status: 'pending-upgrade' } }, {});
  await t.throwsAsync(drift(world), { code: 'pending_operation', message: /revision 2 .* is pending-upgrade/ });
});
