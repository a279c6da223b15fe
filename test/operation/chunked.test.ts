import { randomBytes } from 'node:crypto';
import { KubeError } from '../../src/kube/kube-error.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';
import { configMap, crd } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, sandboxTest, type World } from './world.ts';

const test = sandboxTest();

const large = (name: string) => configMap(name, randomBytes(450_000).toString('hex'));
/** A chart of more than 1 MiB, compressed. */
const largeFiles = () => ({ 'a.yaml': large('a'), 'b.yaml': large('b') });

async function partNames(world: World): Promise<string[]> {
  const query = { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, labelSelector: 'owner=helm-agent' };
  return (await world.cluster.list(query)).map(({ metadata: { name } }) => name);
}

test('a release that is too large fails before anything is applied', async (t) => {
  const chart = textChart(largeFiles(), { crds: { 'c.yaml': crd('toolarge') } });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart), { code: 'release_too_large' });
  t.deepEqual(await world.history(), []);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: world.namespace };
  t.is(await world.cluster.get(namespace), undefined);
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'toolarges.e.io',
  };
  t.is(await world.cluster.get(definition), undefined);
});

test('an answer that is lost does not lose the parts of a revision', async (t) => {
  const chart = textChart(largeFiles());
  const world = newWorld(t, chart);
  const lost: string[] = [];
  const cluster = {
    ...world.cluster,
    async create(...args: Parameters<typeof world.cluster.create>) {
      const created = await world.cluster.create(...args);
      const { name } = created.metadata;
      if (lost.includes(name) || created.kind !== 'Secret') return created;
      lost.push(name);
      throw new KubeError('unreachable', 'connection reset');
    },
  };
  const storage = openStorage('secret', {
    ...{ cluster, host: realHost },
    onUnreadable(error) {
      throw error;
    },
  });
  await world.install(chart, { storage: 'chunked' }, { storage });
  t.is(lost.length, 3);
  t.is((await partNames(world)).length, 2);
  t.like(await world.stored(1), { info: { status: 'deployed' } });
});

test('chunked stores it in parts, which go with their revision', async (t) => {
  const first = textChart(largeFiles());
  const second = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, first, second);
  const installed = await world.install(first, { storage: 'chunked' });
  t.like(installed, { version: 1, info: { status: 'deployed' } });
  t.is((await partNames(world)).length, 2);
  t.is((await world.stored(1))?.manifest, installed.manifest);

  await world.upgrade(second);
  t.is(await world.find('ConfigMap', 'b'), undefined);
  await world.rollback({ historyLimit: 2 });
  t.truthy(await world.find('ConfigMap', 'b'));
  t.deepEqual(await world.history(), ['2:superseded', '3:deployed']);
  await eventually('only parts of revision 3 are left', async () => {
    return (await partNames(world)).every((name) => name.includes('.v3.'));
  });
  t.is((await partNames(world)).length, 2);

  await world.uninstall();
  t.is(await world.find('ConfigMap', 'a'), undefined);
  await t.notThrowsAsync(eventually('all parts are deleted', async () => (await partNames(world)).length === 0));
});
