import { diffRelease } from '../../../src/operation/diff/diff-release.ts';
import { plan } from '../../../src/operation/plan/plan.ts';
import { memoryPlans } from '../../../src/operation/plan/plans.ts';
import type { DiffRequest } from '../../../src/operation/request.ts';
import { realHost } from '../../support/host.ts';
import { configMap } from '../manifests.ts';
import { type TextChart, textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();

function diff(world: World, { chart }: TextChart, request: Partial<DiffRequest> = {}) {
  const name = { namespace: world.namespace, releaseName };
  return diffRelease(world.context(), { ...name, loadChart: () => Promise.resolve(chart), ...request });
}

const secret = (value: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: ${value}}\n`;

test('returns what an upgrade adds, changes and removes, and changes nothing', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b'), 'c.yaml': configMap('c') });
  const second = textChart({ 'a.yaml': configMap('a', '2'), 'b.yaml': configMap('b'), 'd.yaml': configMap('d') });
  const world = newWorld(t, first, second);
  await world.install(first);
  const { namespace } = world;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace };
  const fields = [{ path: 'data.value', before: '1', after: '2' }];
  t.deepEqual(await diff(world, second), {
    differences: [
      { change: 'changed', ...ref, name: 'a', fields },
      { change: 'added', ...ref, name: 'd' },
      { change: 'removed', ...ref, name: 'c' },
    ],
    unchanged: 1,
  });
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('keeps objects whose policy is keep', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a', '1', { 'helm.sh/resource-policy': 'keep' }) });
  const second = textChart({});
  const world = newWorld(t, first, second);
  await world.install(first);
  t.deepEqual(await diff(world, second), { differences: [], unchanged: 0 });
});

test('a release that does not exist is installed', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const { differences } = await diff(newWorld(t, chart), chart);
  t.like(differences, { length: 1, 0: { change: 'added', name: 'a' } });
});

test('does not show the values of Secrets', async (t) => {
  const first = textChart({ 's.yaml': secret('sentinel-one') });
  const second = textChart({ 's.yaml': secret('sentinel-two') });
  const world = newWorld(t, first, second);
  await world.install(first);
  for (const against of ['stored', 'live'] as const) {
    const { differences } = await diff(world, second, { against });
    t.like(differences, { length: 1, 0: { change: 'changed', name: 's' } });
    t.deepEqual(
      differences[0]?.fields?.map(({ before, after }) => [before, after]),
      [['***', '***']],
    );
    t.notRegex(JSON.stringify(differences), /sentinel|c2VudGluZWw/);
  }
});

test('compares with live objects by a dry run, so that drift shows', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.mergePatch(ref, { data: { value: null, other: 'x' } }, { fieldManager: 'helm' });
  t.deepEqual(await diff(world, chart), { differences: [], unchanged: 2 });
  const { differences, unchanged } = await diff(world, chart, { against: 'live' });
  t.deepEqual(differences, [{ change: 'changed', ...ref, fields: [{ path: 'data.value', after: '1' }] }]);
  t.is(unchanged, 1);
});

test('says which object the API server would refuse', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.apply(
    { ...ref, metadata: { name: 'a', namespace: world.namespace }, data: { value: 'other' } },
    { fieldManager: 'someone', force: true },
  );
  const { differences } = await diff(world, chart, { against: 'live' });
  t.like(differences, { length: 1, 0: { change: 'unknown', name: 'a' } });
  t.regex(differences[0]?.reason ?? '', /conflict/i);
});

test('compares live objects as a plan of the same upgrade does, also after a client-side revision', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const second = textChart({ 'a.yaml': configMap('a', '2'), 'c.yaml': configMap('c') });
  const world = newWorld(t, first, second);
  await world.install(first, { serverSide: false });
  const { namespace, cluster } = world;
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'c' } });
  const { differences } = await diff(world, second, { against: 'live' });
  const operation = {
    verb: 'upgrade' as const,
    request: { namespace, releaseName, loadChart: () => Promise.resolve(second.chart), takeOwnership: true },
  };
  const { content } = await plan(world.context(), { plans: memoryPlans(realHost), operation });
  t.deepEqual<unknown, unknown>(differences, content.differences);
  t.deepEqual(
    differences.map(({ change, name }) => `${change} ${name}`),
    ['changed a', 'changed c', 'removed b'],
  );
});
