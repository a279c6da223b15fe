import type { UpgradeRequest } from '../../src/operation/request.ts';
import { upgrade } from '../../src/operation/upgrade.ts';
import { configMap, deployment, hook, job } from './manifests.ts';
import { type TextChart, textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from './world.ts';

const test = sandboxTest();

function upgradeUnlessSame(world: World, { chart }: TextChart, request: Partial<UpgradeRequest> = {}) {
  const name = { namespace: world.namespace, releaseName };
  const loadChart = () => Promise.resolve(chart);
  return upgrade(world.context(), { ...name, loadChart, unchanged: 'skip', ...request });
}

const files = {
  'a.yaml': configMap('a'),
  'd.yaml': deployment('web'),
  'j.yaml': job('j', { annotations: hook('pre-upgrade') }),
};

test('adds no revision and runs no hook if nothing changes', async (t) => {
  const chart = textChart(files, { notes: 'Done' });
  const world = newWorld(t, chart);
  const installed = await world.install(chart, { values: 'size: 1' });
  const before = await world.find('ConfigMap', 'a');
  const { release, unchanged } = await upgradeUnlessSame(world, chart, { description: 'another text' });
  t.true(unchanged);
  t.like(release, { version: 1, info: { status: 'deployed', last_deployed: installed.info.last_deployed } });
  t.deepEqual(await world.history(), ['1:deployed']);
  t.is(await world.find('Job', 'j'), undefined);
  t.deepEqual(await world.find('ConfigMap', 'a'), before);
  t.is(world.progress.at(-1)?.message, 'nothing changes; revision 1 stays');
});

test('adds a revision in any case without the option', async (t) => {
  const chart = textChart(files);
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
});

const added = test.macro({
  title: (what) => `adds a revision if ${what} differs`,
  async exec(t, first: TextChart, second: TextChart, request: Partial<UpgradeRequest> = {}) {
    const world = newWorld(t, first, second);
    await world.install(first, { labels: { team: 'a' } });
    const { unchanged } = await upgradeUnlessSame(world, second, request);
    t.is(unchanged, undefined);
    t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  },
});

const chart = textChart(files);
test('the manifest', added, chart, textChart({ ...files, 'a.yaml': configMap('a', '2') }));
test('a hook', added, chart, textChart({ ...files, 'j.yaml': job('j', { annotations: hook('post-upgrade') }) }));
test('the text of the notes', added, chart, textChart(files, { notes: 'new' }));
test('a value', added, chart, chart, { values: 'size: 2' });
test('a label', added, chart, chart, { labels: { team: 'b' } });
test('the way to apply', added, chart, chart, { serverSide: false });

test('adds a revision and repairs a live object that differs', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.mergePatch(ref, { data: { value: 'drift' } }, { fieldManager: 'helm' });
  t.is((await upgradeUnlessSame(world, chart, { forceConflicts: true })).unchanged, undefined);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
  await world.cluster.delete(ref);
  t.is((await upgradeUnlessSame(world, chart)).unchanged, undefined);
  t.truthy(await world.find('ConfigMap', 'a'));
  t.true((await upgradeUnlessSame(world, chart)).unchanged);
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:deployed']);
});

test('compares objects that were applied client-side by their patches', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart, { serverSide: false });
  t.true((await upgradeUnlessSame(world, chart)).unchanged);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.mergePatch(ref, { data: { value: 'drift' } }, { fieldManager: 'helm' });
  t.is((await upgradeUnlessSame(world, chart)).unchanged, undefined);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
});

test('adds a revision after a failed one', async (t) => {
  const broken = textChart({ ...files, 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: 1\n' });
  const world = newWorld(t, chart, broken);
  await world.install(chart);
  await t.throwsAsync(world.upgrade(broken, { atomic: false }));
  t.is((await upgradeUnlessSame(world, chart)).unchanged, undefined);
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
});
