import { jsonText } from '../../../src/objects/json-text.ts';
import { applyPlan } from '../../../src/operation/plan/apply-plan.ts';
import { plan, type PlannableOperation } from '../../../src/operation/plan/plan.ts';
import type { PlanEntry } from '../../../src/operation/plan/plan-entry.ts';
import { memoryPlans } from '../../../src/operation/plan/plans.ts';
import { upgrade } from '../../../src/operation/upgrade.ts';
import { decodeRelease, encodeRelease } from '../../../src/release/codec.ts';
import type { Release } from '../../../src/release/release.ts';
import { realHost } from '../../support/host.ts';
import { configMap, crd, deployment, hook, job } from '../manifests.ts';
import { type TextChart, textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();

type Options = Partial<PlannableOperation['request']> & {
  description?: string;
  upgrade?: boolean;
  serverSide?: boolean;
  recreate?: 'immutable';
};

function planner(world: World) {
  const plans = memoryPlans(realHost);
  const name = { namespace: world.namespace, releaseName, timeout: 55_000 };
  return {
    plans,
    planOf: (verb: PlannableOperation['verb'], { chart }: TextChart, options: Options = {}): Promise<PlanEntry> => {
      const operation = { verb, request: { ...name, loadChart: () => Promise.resolve(chart), ...options } };
      return plan(world.context(), { plans, operation });
    },
    apply: ({ id }: PlanEntry) => applyPlan(world.context(), { plans, plan: id }),
  };
}

/** Returns `change kind name field,field` for each difference. */
function changesOf({ content }: PlanEntry): string[] {
  return content.differences.map(({ change, kind, name, fields = [] }) =>
    [change, kind, name, fields.map(({ path }) => path).join(',')].join(' ').trim(),
  );
}

test('a plan has objects, hooks and CRDs with integers that a number would round', async (t) => {
  const gadget = (name: string, other: number, annotations = '{}') =>
    `apiVersion: e.io/v1
kind: Gadget
metadata: {name: ${name}, annotations: ${annotations}}
spec: {limit: 9223372036854775807, other: ${other}}
`;
  const chartWith = (other: number) => {
    const late = gadget('late', other, JSON.stringify(hook('post-upgrade')));
    const definition = crd('gadget').replace('"object"', '"object","maxProperties":9223372036854775807');
    return textChart({ 'g.yaml': gadget('g', other), 'h.yaml': late }, { crds: { 'crds/g.yaml': definition } });
  };
  const [old, next] = [chartWith(1), chartWith(2)];
  const world = newWorld(t, old, next);
  const { planOf, apply } = planner(world);
  await world.install(old);
  const entry = await planOf('upgrade', next);
  t.deepEqual(changesOf(entry), ['changed Gadget g spec.other']);
  t.deepEqual(
    entry.content.hookDifferences?.map(({ change, name, fields }) => [change, name, fields?.map(({ path }) => path)]),
    [['changed', 'late', ['spec.other']]],
  );
  t.deepEqual(entry.content.crdDifferences, []);
  await apply(entry);
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
});

test('a plan applies the integers of CRDs that a number would round', async (t) => {
  const definition = crd('widget').replace('"object"', '"object","maxProperties":9223372036854775807');
  const chart = textChart({ 'a.yaml': configMap('a') }, { crds: { 'crds/w.yaml': definition } });
  const { planOf, plans } = planner(newWorld(t, chart));
  const entry = await planOf('install', chart);
  const found = await plans.find(entry.id);
  t.deepEqual(found?.content.crds, entry.content.crds);
  t.true(jsonText(found).includes('9223372036854775807'));
});

const secret = (value: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: ${value}}\n`;
const hooks = {
  'late.yaml': job('late', { annotations: hook('pre-upgrade', { weight: 2 }) }),
  'early.yaml': job('early', { annotations: hook('pre-upgrade,pre-install', { weight: -1 }) }),
};
const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b'), 'd.yaml': deployment('web'), ...hooks });
const second = textChart({
  'a.yaml': configMap('a', '2'),
  'c.yaml': configMap('c'),
  'd.yaml': deployment('web'),
  's.yaml': secret('sentinel'),
  ...hooks,
});

test('a plan of an upgrade has what changes and the hooks, changes nothing, and is performed as it is', async (t) => {
  const world = newWorld(t, first, second);
  const { planOf, apply } = planner(world);
  await world.install(first);
  const entry = await planOf('upgrade', second, { description: 'as planned' });
  t.deepEqual(changesOf(entry), [
    'added Secret s data,metadata.annotations,metadata.labels,type',
    'changed ConfigMap a data.value',
    'added ConfigMap c data,metadata.annotations,metadata.labels',
    'removed ConfigMap b',
  ]);
  t.like(entry.content, { revision: 2, base: { version: 1, status: 'deployed' } });
  t.deepEqual(
    entry.content.hooks.map(({ event, name, weight }) => `${event} ${name} ${weight}`),
    ['pre-upgrade early -1', 'pre-upgrade late 2'],
  );
  t.is(entry.content.objects.length, 5);
  t.notRegex(JSON.stringify(entry.content.differences), /sentinel|c2VudGluZWw/);
  t.deepEqual(await world.history(), ['1:deployed']);
  t.is(await world.find('ConfigMap', 'c'), undefined);

  const { release } = await apply(entry);
  t.like(release, { version: 2, info: { status: 'deployed', description: 'as planned' } });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.truthy(await world.find('ConfigMap', 'c'));
  t.is(await world.find('ConfigMap', 'b'), undefined);
});

test('performs the recorded manifest, not a new render', async (t) => {
  let renders = 0;
  const chart = textChart(() => ({ 'a.yaml': configMap('a', String((renders += 1))) }));
  const world = newWorld(t, chart);
  const { planOf, apply } = planner(world);
  const entry = await planOf('install', chart);
  const { release } = await apply(entry);
  t.is(renders, 1);
  t.is(release?.manifest, entry.content.release?.manifest);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
});

test('a plan of a new release is checked in a namespace that exists, and is not in one that does not', async (t) => {
  const world = newWorld(t, first);
  const { planOf, apply } = planner(world);
  const entry = await planOf('install', first, { upgrade: true });
  t.is(entry.content.base, undefined);
  t.regex(entry.content.differences[0]?.reason ?? '', /^not checked: the namespace op-\w+ does not exist yet$/);
  t.deepEqual(
    entry.content.hooks.map(({ event, name }) => `${event} ${name}`),
    ['pre-install early'],
  );
  await apply(entry);
  await world.uninstall();
  const again = await planOf('install', first);
  t.deepEqual(
    again.content.differences.map(({ change, reason }) => [change, reason]),
    [
      ['added', undefined],
      ['added', undefined],
      ['added', undefined],
    ],
  );
  t.like(await apply(again), { release: { version: 1, info: { status: 'deployed' } } });
});

test('plans objects of kinds that the chart itself defines', async (t) => {
  const chart = textChart(
    { 'g.yaml': 'apiVersion: e.io/v1\nkind: Planned\nmetadata: {name: g}\n' },
    { crds: { 'planned.yaml': crd('planned') } },
  );
  const world = newWorld(t, chart);
  const { planOf, apply } = planner(world);
  const entry = await planOf('install', chart);
  t.deepEqual(
    entry.content.crds.map(({ name }) => name),
    ['crds/planned.yaml'],
  );
  t.like(entry.content.differences, { length: 1, 0: { change: 'added', kind: 'Planned' } });
  await apply(entry);
  t.truthy(await world.cluster.get({ apiVersion: 'e.io/v1', kind: 'Planned', namespace: world.namespace, name: 'g' }));
});

test('says which objects are deleted and created again', async (t) => {
  const immutable = (value: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nimmutable: true\ndata: {value: '${value}'}\n`;
  const old = textChart({ 'a.yaml': immutable('1') });
  const changed = textChart({ 'a.yaml': immutable('2') });
  const world = newWorld(t, old, changed);
  const { planOf, apply } = planner(world);
  await world.install(old);
  t.like((await planOf('upgrade', changed)).content.differences, { length: 1, 0: { change: 'unknown' } });
  const entry = await planOf('upgrade', changed, { recreate: 'immutable' });
  t.deepEqual(changesOf(entry), ['recreated ConfigMap a data.value']);
  await apply(entry);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '2' });
});

test('rollbacks and uninstallations are planned and performed', async (t) => {
  const world = newWorld(t, first, second);
  const { planOf, apply } = planner(world);
  await world.install(first);
  await world.upgrade(second);
  const back = await planOf('rollback', first);
  t.deepEqual(changesOf(back), [
    'changed ConfigMap a data.value',
    'added ConfigMap b data,metadata.annotations,metadata.labels',
    'removed Secret s',
    'removed ConfigMap c',
  ]);
  t.like((await apply(back)).release, { version: 3, info: { description: 'Rollback to 1' } });
  const away = await planOf('uninstall', first);
  t.deepEqual(changesOf(away), ['removed Deployment web', 'removed ConfigMap a', 'removed ConfigMap b']);
  await apply(away);
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.deepEqual(await world.history(), []);
});

test('a planned upgrade that fails is rolled back to the revision before', async (t) => {
  const failing = textChart({ 'a.yaml': configMap('a', '3'), 'j.yaml': job('load', { args: ['fail'] }) });
  const world = newWorld(t, first, failing);
  const { planOf, apply } = planner(world);
  await world.install(first);
  const entry = await planOf('upgrade', failing);
  await t.throwsAsync(apply(entry), {
    code: 'not_ready',
    message: /^release web failed, and has been rolled back due to/,
  });
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.is((await world.stored(3))?.manifest, (await world.stored(1))?.manifest);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
  t.truthy(await world.find('ConfigMap', 'b'));
  t.is(await world.find('Job', 'load'), undefined);
});

test('the status of objects and the fields that others own do not make a plan stale', async (t) => {
  const world = newWorld(t, first, second);
  const { planOf, apply } = planner(world);
  await world.install(first);
  const entry = await planOf('upgrade', second);
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' };
  await world.cluster.mergePatch(web, { metadata: { annotations: { other: 'x' } } }, { fieldManager: 'other' });
  t.like((await apply(entry)).release, { version: 2 });
});

const goesStale = test.macro({
  title: (what) => `a plan is stale if ${what}`,
  async exec(t, change: (world: World) => Promise<unknown>, message: RegExp) {
    const world = newWorld(t, first, second);
    const { planOf, apply } = planner(world);
    await world.install(first);
    const entry = await planOf('upgrade', second);
    await change(world);
    const before = await world.history();
    const error = await t.throwsAsync(apply(entry), { code: 'plan_stale' });
    t.regex(error.message, message);
    t.regex(error.message, /^plan op-\w+\/web@[0-9a-f]{64} is out of date: .*; make a new plan$/);
    t.deepEqual(await world.history(), before);
  },
});

const ref = (world: World, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name });
test(
  'there is a newer revision',
  goesStale,
  (world: World) => world.upgrade(first),
  /the newest revision was 1 \(deployed\), and is 2 \(deployed\)/,
);
test('the release is gone', goesStale, (world: World) => world.uninstall(), /was 1 \(deployed\), and is none/);
test(
  'a field that it changes was changed',
  goesStale,
  (world: World) => world.cluster.mergePatch(ref(world, 'a'), { data: { value: '7' } }),
  /: ConfigMap op-\w+\/a was changed;/,
);
test(
  'an object that it leaves was changed',
  goesStale,
  (world: World) =>
    world.cluster.mergePatch(
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' },
      { spec: { replicas: 3 } },
    ),
  /: Deployment op-\w+\/web was changed;/,
);
test(
  'objects were deleted, replaced and created',
  goesStale,
  async (world: World) => {
    const b = await world.find('ConfigMap', 'b');
    await world.cluster.delete(ref(world, 'a'));
    await world.cluster.delete(ref(world, 'b'));
    const { labels = {}, annotations = {} } = b?.metadata ?? {};
    for (const name of ['b', 'c']) {
      const metadata = { namespace: world.namespace, name, labels, annotations };
      await world.cluster.create({ ...ref(world, name), metadata });
    }
  },
  /ConfigMap \S+\/a was deleted.*ConfigMap \S+\/c was created.*ConfigMap \S+\/b was replaced by another object/,
);

test('a dry run on the server has what would change, and none on the client', async (t) => {
  const world = newWorld(t, first, second);
  await world.install(first);
  const name = { namespace: world.namespace, releaseName, timeout: 55_000 };
  const request = { ...name, loadChart: () => Promise.resolve(second.chart), dryRun: true };
  const { differences } = await upgrade(world.context(), { ...request, preview: 'dry-run' });
  t.deepEqual(
    differences?.map(({ name: object, change }) => `${object} ${change}`),
    ['s added', 'a changed', 'c added', 'b removed'],
  );
  t.is((await upgrade(world.context(), { ...request, offline: true })).differences, undefined);
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('a plan fails as its operation would', async (t) => {
  const world = newWorld(t, first);
  const { planOf } = planner(world);
  await t.throwsAsync(planOf('upgrade', first), { code: 'no_deployed_release' });
  await world.install(first);
  await t.throwsAsync(planOf('install', first), { code: 'release_exists' });
});

test('a plan whose content was changed does not exist', async (t) => {
  const world = newWorld(t, first);
  const { planOf, plans } = planner(world);
  const entry = await planOf('install', first);
  const changed = { ...entry, content: { ...entry.content, hooks: [] } };
  await plans.add(changed);
  await t.throwsAsync(applyPlan(world.context(), { plans, plan: entry.id }), { code: 'plan_not_found' });
});

/** Changes the content of a stored revision, as someone can who may write Secrets. */
async function forge({ cluster, namespace }: World, version: number, changes: (release: Release) => Partial<Release>) {
  const name = `sh.helm.release.v1.${releaseName}.v${version}`;
  const found = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  if (found === undefined) throw new Error(`no ${name}`);
  const { release } = found['data'] as { release: string };
  const content = await decodeRelease(Buffer.from(release, 'base64').toString());
  const forged = await encodeRelease({ ...content, ...changes(content) });
  await cluster.replace({ ...found, data: { release: Buffer.from(forged).toString('base64') } });
}

const evilHook = {
  ...{ name: 'pwned', kind: 'ConfigMap', path: 'h', manifest: configMap('pwned'), last_run: { phase: '' } },
  events: ['pre-rollback', 'pre-delete', 'pre-upgrade'],
};
const forgeries: Record<string, (release: Release) => Partial<Release>> = {
  manifest: ({ manifest }) => ({ manifest: manifest.replace('"value":"1"', '"value":"evil"') }),
  hooks: ({ hooks = [] }) => ({ hooks: [...hooks, evilHook] }),
  values: () => ({ config: { image: 'evil' } }),
  chart: ({ chart }) => ({ chart: { ...chart, values: { image: 'evil' } } }),
};

for (const [what, changes] of Object.entries(forgeries)) {
  test(`a plan is stale if the ${what} of a stored revision that it uses were changed`, async (t) => {
    const world = newWorld(t, first, second);
    const { planOf, apply } = planner(world);
    await world.install(first);
    await world.upgrade(first);
    const back = await planOf('rollback', first, { version: 1 });
    const next = await planOf('upgrade', second);
    const gone = await planOf('uninstall', first);
    const stale = (version: number) => ({
      code: 'plan_stale',
      message: new RegExp(`: the stored revision ${version} was changed or deleted; make a new plan$`),
    });
    await forge(world, 1, changes);
    await t.throwsAsync(apply(back), stale(1));
    await forge(world, 2, changes);
    await t.throwsAsync(apply(next), stale(2));
    await t.throwsAsync(apply(gone), stale(2));
    t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
    t.is(await world.find('ConfigMap', 'pwned'), undefined);
  });
}

test('a plan of a rollback has the content of the revision, and is performed', async (t) => {
  const world = newWorld(t, first, second);
  const { planOf, apply } = planner(world);
  await world.install(first);
  await world.upgrade(second);
  const entry = await planOf('rollback', first);
  t.is(entry.content.release?.manifest, (await world.stored(1))?.manifest);
  const { release } = await apply(entry);
  t.like(release, { version: 3, info: { status: 'deployed', description: 'Rollback to 1' } });
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
});

test('a plan shows how hooks and CRDs differ, without the values of Secrets', async (t) => {
  const jobOf = (image: string) => `apiVersion: batch/v1
kind: Job
metadata: {name: j, annotations: {helm.sh/hook: "pre-upgrade,pre-delete"}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: '${image}'}]}}}
`;
  const hookSecret = (value: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {helm.sh/hook: pre-upgrade}}\nstringData: {key: ${value}}\n`;
  const crds = { 'shown.yaml': crd('shown') };
  const old = textChart({ 'j.yaml': jobOf('good:1'), 's.yaml': hookSecret('first') });
  const changed = textChart({ 'j.yaml': jobOf('evil:666'), 's.yaml': hookSecret('sentinel') }, { crds });
  const world = newWorld(t, old, changed);
  const { planOf } = planner(world);
  await world.install(old);
  const { content } = await planOf('upgrade', changed);
  t.deepEqual(content.hookDifferences, [
    {
      ...{ change: 'changed', apiVersion: 'batch/v1', kind: 'Job', name: 'j' },
      fields: [{ path: 'spec.template.spec.containers[name=a].image', before: 'good:1', after: 'evil:666' }],
    },
    {
      ...{ change: 'changed', apiVersion: 'v1', kind: 'Secret', name: 's' },
      fields: [{ path: 'stringData.key', before: '***', after: '***' }],
    },
  ]);
  t.deepEqual((await planOf('upgrade', old)).content.hookDifferences, []);
  const gone = (await planOf('uninstall', old)).content.hookDifferences ?? [];
  t.like(gone, { length: 1, 0: { change: 'added', kind: 'Job' } });
  t.true(JSON.stringify(gone).includes('good:1'));
  const { content: installation } = await planOf('install', changed, { releaseName: 'other' });
  t.like(installation.crdDifferences, { length: 1, 0: { change: 'added', kind: 'CustomResourceDefinition' } });
});
