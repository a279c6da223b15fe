import type { Cluster, ObjectQuery } from '../../src/objects/cluster.ts';
import type { Progress } from '../../src/operation/progress.ts';
import { uninstall } from '../../src/operation/uninstall.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { realHost } from '../support/host.ts';
import { configMap, deployment, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, statusesOf, stepEnds, timeUpWhen } from './world.ts';

const test = sandboxTest();

test('deletes all objects and revisions, and returns the release', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'd.yaml': deployment('web') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  world.progress.length = 0;
  const { release, info } = await world.uninstall();
  t.like(release, { name: 'web', version: 2, info: { status: 'uninstalled', description: 'Uninstallation complete' } });
  t.regex(release?.info.deleted ?? '', /^\d{4}-/);
  t.is(info, '');
  t.deepEqual(stepEnds(world.progress), [
    'record:done',
    'pre-hooks:skipped',
    'delete:done',
    'wait:done',
    'post-hooks:skipped',
    'finish:done',
  ]);
  t.is(statusesOf(world.progress, 'web').at(-1), 'NotFound');
  t.deepEqual(await world.history(), []);
  t.is(await world.find('Deployment', 'web'), undefined);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('keeps objects with a resource policy, and lists them', async (t) => {
  const kept = configMap('data', '1', { 'helm.sh/resource-policy': ' Keep ' });
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': kept });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { info } = await world.uninstall();
  t.is(info, 'These resources were kept due to the resource policy:\n[ConfigMap] data\n');
  t.truthy(await world.find('ConfigMap', 'data'));
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('lists what it keeps in the order of deletion, and keeps objects with an unknown policy in silence', async (t) => {
  const policy = (value: string) => ({ 'helm.sh/resource-policy': value });
  const chart = textChart({
    'a.yaml': configMap('a', '1', policy('keep')),
    'b.yaml': deployment('web', { annotations: policy('keep') }),
    'c.yaml': configMap('c', '1', policy('other')),
  });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { info } = await world.uninstall();
  t.is(info, 'These resources were kept due to the resource policy:\n[Deployment] web\n[ConfigMap] a\n');
  t.truthy(await world.find('ConfigMap', 'c'));
});

test('keeps the history with keepHistory, and deletes it with the next uninstall', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.uninstall({ keepHistory: true, description: 'bye' });
  t.deepEqual(await world.history(), ['1:uninstalled']);
  t.is((await world.stored(1))?.info.description, 'bye');
  await t.throwsAsync(world.uninstall({ keepHistory: true }), {
    message: 'the release named "web" is already deleted',
  });
  t.is((await world.uninstall()).release?.info.status, 'uninstalled');
  t.deepEqual(await world.history(), []);
});

test('fails for a release that does not exist', async (t) => {
  const error = await t.throwsAsync(newWorld(t).uninstall());
  t.like(error, { code: 'release_not_found', message: 'uninstall: Release not loaded: web: release: not found' });
});

test('ignores objects that no longer exist', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' });
  t.is((await world.uninstall()).release?.info.status, 'uninstalled');
});

test('names objects that are not deleted in time, and still removes the record, as Helm does', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.mergePatch(ref, { metadata: { finalizers: ['e.io/hold'] } });
  const error = await t.throwsAsync(world.uninstall({ timeout: 3000 }, timeUpWhen(world, /^Terminating/)));
  t.like(error, {
    code: 'timeout',
    message: `uninstallation completed with 1 error(s): timed out after 3s\nresource ConfigMap/${world.namespace}/a still exists. status: Terminating, message: Resource scheduled for deletion`,
  });
  t.deepEqual(await world.history(), []);
});

test('waits for an object that has lost the label of Helm, and takes others that vanish for gone', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace, cluster } = world;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
  const labels = { 'app.kubernetes.io/managed-by': 'some-operator' };
  await cluster.mergePatch(ref, { metadata: { finalizers: ['e.io/hold'], labels } });
  const queries: ObjectQuery[] = [];
  const observe: Cluster['observe'] = (query, signal) => {
    queries.push(query);
    return cluster.observe(query, signal);
  };
  let isHeld = true;
  const progress = ({ resources = [] }: Progress) => {
    if (!isHeld || !resources.some(({ name, status }) => name === 'a' && status === 'Terminating')) return;
    isHeld = false;
    void cluster.mergePatch(ref, { metadata: { finalizers: null } });
  };
  await world.uninstall({}, { cluster: { ...cluster, observe }, progress });
  t.false(isHeld);
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.deepEqual(
    queries.map(({ labelSelector, fieldSelector }) => labelSelector ?? fieldSelector),
    ['metadata.name=a', 'app.kubernetes.io/managed-by=Helm'],
  );
});

test('runs hooks before and after, and stops if one fails', async (t) => {
  const chart = textChart({
    'a.yaml': configMap('a'),
    'pre.yaml': job('pre', { annotations: hook('pre-delete') }),
    'post.yaml': job('post', { annotations: hook('post-delete', { policy: 'hook-succeeded' }) }),
  });
  const world = newWorld(t, chart);
  await world.install(chart);
  world.progress.length = 0;
  await world.uninstall();
  t.true(stepEnds(world.progress).includes('pre-hooks:done'));
  t.like((await world.find('Job', 'pre'))?.['status'], { succeeded: 1 });
  t.is(await world.find('Job', 'post'), undefined);
  t.is(statusesOf(world.progress, 'post', 'post-hooks').includes('Current'), true);

  const failing = textChart({
    'a.yaml': configMap('a'),
    'f.yaml': job('f', { args: ['fail'], annotations: hook('pre-delete') }),
  });
  const blocked = newWorld(t, failing);
  await blocked.install(failing);
  await t.throwsAsync(blocked.uninstall(), { code: 'hook_failed', message: /^resource Job\/.*\/f not ready/ });
  t.truthy(await blocked.find('ConfigMap', 'a'));
});

test('leaves an object that took the name after the object of the release was seen', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace, cluster } = world;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'a' }, data: { other: 'yes' } };
  const replacing: Cluster = {
    ...cluster,
    async delete(deleted, options) {
      if (deleted.name === 'a') {
        await cluster.delete(ref);
        await cluster.create(other);
      }
      return cluster.delete(deleted, options);
    },
  };
  const context = world.context({ cluster: replacing });
  await uninstall(context, { namespace, releaseName: 'web', timeout: 55_000 });
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { other: 'yes' });
  t.is(await world.find('ConfigMap', 'b'), undefined);
  t.true(
    world.progress.some(
      ({ message }) =>
        message === `left ConfigMap "a" in namespace "${namespace}": it is another object with the same name`,
    ),
  );
});

test('leaves an object that was given to another release', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.mergePatch(ref, { metadata: { annotations: { 'meta.helm.sh/release-name': 'other' } } });
  await world.uninstall();
  t.truthy(await world.find('ConfigMap', 'a'));
  t.is(await world.find('ConfigMap', 'b'), undefined);
  t.true(world.progress.some(({ message }) => message?.includes('it belongs to release other in') === true));
});

const manyNames = ['a', 'b', 'c', 'd', 'e', 'f'];
const many = textChart(Object.fromEntries(manyNames.map((name) => [`${name}.yaml`, configMap(name)])));

/** Notes the reads of ConfigMaps. Lists fail with the code, if there is one. */
function readingCluster(cluster: Cluster, code?: string): { cluster: Cluster; reads: string[] } {
  const reads: string[] = [];
  const noting: Cluster = {
    ...cluster,
    get(ref, signal) {
      if (ref.kind === 'ConfigMap') reads.push(ref.name);
      return cluster.get(ref, signal);
    },
    list(query, signal) {
      if (query.kind !== 'ConfigMap') return cluster.list(query, signal);
      reads.push(query.metadataOnly === true ? 'list of metadata' : 'list');
      return code === undefined
        ? cluster.list(query, signal)
        : Promise.reject(Object.assign(new Error('no'), { code }));
    },
  };
  return { cluster: noting, reads };
}

test('reads many objects of a kind by one list, and leaves those of other releases', async (t) => {
  const world = newWorld(t, many);
  await world.install(many);
  const { namespace, cluster } = world;
  const refOf = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  await cluster.mergePatch(refOf('a'), { metadata: { annotations: { 'meta.helm.sh/release-name': 'other' } } });
  await cluster.mergePatch(refOf('b'), { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
  await cluster.delete(refOf('c'));
  const { reads, ...noting } = readingCluster(cluster);
  await world.uninstall({}, noting);
  t.deepEqual(reads, ['list of metadata']);
  const left = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace });
  t.deepEqual(
    left.map(({ metadata }) => metadata.name).filter((name) => manyNames.includes(name)),
    ['a'],
  );
});

for (const code of ['forbidden', 'server_error']) {
  test(`reads each object before its deletion if a list fails with ${code}`, async (t) => {
    const world = newWorld(t, many);
    await world.install(many);
    const { reads, ...noting } = readingCluster(world.cluster, code);
    await world.uninstall({ wait: false }, noting);
    t.deepEqual(reads, ['list of metadata', ...manyNames]);
    for (const name of manyNames) t.is(await world.find('ConfigMap', name), undefined);
  });
}

test('a dry run returns the release and changes nothing', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  t.is((await world.uninstall({ dryRun: true })).release?.info.status, 'deployed');
  t.deepEqual(await world.history(), ['1:deployed']);
  t.truthy(await world.find('ConfigMap', 'a'));
});

test('ignoreNotFound succeeds without a release', async (t) => {
  const world = newWorld(t);
  t.deepEqual(await world.uninstall({ ignoreNotFound: true }), { info: '' });
});

test('runs no hooks with noHooks', async (t) => {
  const chart = textChart({ 'hook.yaml': job('h', { annotations: hook('pre-delete,post-delete') }) });
  const world = newWorld(t, chart);
  await world.install(chart);
  world.progress.length = 0;
  await world.uninstall({ noHooks: true });
  t.deepEqual(stepEnds(world.progress), [
    'record:done',
    'pre-hooks:skipped',
    'delete:done',
    'wait:done',
    'post-hooks:skipped',
    'finish:done',
  ]);
});

test('cascade: orphan leaves the pods of a Deployment', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('web') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  await world.uninstall({ cascade: 'orphan' });
  t.is(await world.find('Deployment', 'web'), undefined);
  t.is((await world.cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace })).length, 1);
});

test('a release that stays uninstalling is held by no agent, also after a failed installation was undone', async (t) => {
  const failing = textChart({
    'a.yaml': configMap('a'),
    'gone.yaml': job('gone', { annotations: hook('pre-delete'), args: ['fail'] }),
    'late.yaml': job('late', { annotations: hook('post-install'), args: ['fail'] }),
  });
  for (const undone of [false, true]) {
    const world = newWorld(t, failing);
    const { cluster, namespace } = world;
    const holder = { agentId: 'edge-1', instanceId: 'one' };
    const storage = openStorage('secret', { cluster, host: realHost, holder, onUnreadable: () => undefined });
    if (undone) {
      await t.throwsAsync(world.install(failing, { atomic: true }, { storage }));
    } else {
      await world.install(failing, { noHooks: true }, { storage });
      await t.throwsAsync(world.uninstall({}, { storage }));
    }
    t.deepEqual(await world.history(), ['1:uninstalling']);
    const name = `sh.helm.release.v1.${releaseName}.v1`;
    const stored = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    t.is(stored?.metadata.annotations, undefined);
  }
});
