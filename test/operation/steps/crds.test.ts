import { objectsAt } from '../../../src/objects/fields.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { crd } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest, stepEnds } from '../world.ts';

const test = sandboxTest();

const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

/** Returns a chart with a CRD that serves these versions and stores the first. */
function chartWith(kind: string, ...versions: string[]) {
  const first = JSON.parse(crd(kind)) as KubeObject;
  const [version] = objectsAt(first, 'spec', 'versions');
  const all = versions.map((name, index) => ({ ...version, name, storage: index === 0 }));
  const text = JSON.stringify({ ...first, spec: { ...(first['spec'] as object), versions: all } });
  return textChart({}, { crds: { 'crd.yaml': text } });
}

function versionsOf(object: KubeObject | undefined): unknown[] {
  return objectsAt(object, 'spec', 'versions').map(({ name }) => name);
}

test('an installation applies a CRD that exists, and an upgrade leaves it', async (t) => {
  const [one, two, three] = [chartWith('part', 'v1'), chartWith('part', 'v1', 'v2'), chartWith('part', 'v1', 'v3')];
  const world = newWorld(t, one, two, three);
  const live = () => world.cluster.get({ ...definition, name: 'parts.e.io' });
  await world.install(one);
  await world.uninstall();
  await world.install(two);
  t.deepEqual(versionsOf(await live()), ['v1', 'v2']);
  world.progress.length = 0;
  await world.upgrade(three);
  t.true(stepEnds(world.progress).includes('crds:skipped'));
  t.deepEqual(versionsOf(await live()), ['v1', 'v2']);
  await world.upgrade(three, { crds: 'create-replace' });
  t.deepEqual(versionsOf(await live()), ['v1', 'v3']);
});

test('the policy create leaves a CRD that exists, also without its new version, and does not wait', async (t) => {
  const [one, two] = [chartWith('item', 'v1'), chartWith('item', 'v1', 'v2')];
  const world = newWorld(t, one, two);
  await world.install(one, { crds: 'create' });
  await world.uninstall();
  world.progress.length = 0;
  await world.install(two, { crds: 'create' });
  t.true(stepEnds(world.progress).includes('crds:skipped'));
  t.deepEqual(versionsOf(await world.cluster.get({ ...definition, name: 'items.e.io' })), ['v1']);
});

test('the policy skip installs no CRD', async (t) => {
  const chart = chartWith('thing', 'v1');
  const world = newWorld(t, chart);
  await world.install(chart, { crds: 'skip' });
  t.is(await world.cluster.get({ ...definition, name: 'things.e.io' }), undefined);
});

test('a client-side installation creates a CRD, and leaves one that exists', async (t) => {
  const [one, two] = [chartWith('piece', 'v1'), chartWith('piece', 'v1', 'v2')];
  const world = newWorld(t, one, two);
  await world.install(one, { serverSide: false });
  await world.uninstall();
  await world.install(two, { serverSide: false });
  t.deepEqual(versionsOf(await world.cluster.get({ ...definition, name: 'pieces.e.io' })), ['v1']);
});

test('a field of another manager is a conflict, and create-replace takes it over', async (t) => {
  const [one, two] = [chartWith('block', 'v1'), chartWith('block', 'v1', 'v2')];
  const world = newWorld(t, one, two);
  await world.cluster.apply(JSON.parse(crd('block')) as KubeObject, { fieldManager: 'kubectl' });
  const error = await t.throwsAsync(world.install(two), { code: 'conflict' });
  t.regex(error.message, /^failed to install CRD crds\/crd\.yaml: conflict occurred while applying object/);
  t.like(error, { problems: [{ name: 'blocks.e.io', manager: 'kubectl', field: '.spec.versions' }] });
  await world.install(two, { crds: 'create-replace' });
  t.deepEqual(versionsOf(await world.cluster.get({ ...definition, name: 'blocks.e.io' })), ['v1', 'v2']);
});
