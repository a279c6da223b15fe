import { openWorkers } from '../../../src/compose/worker-threads.ts';
import { guardedCluster } from '../../../src/objects/guarded-cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { RequestSources } from '../../../src/operation/command-operation.ts';
import type { OperationContext } from '../../../src/operation/context.ts';
import { operation as applyOperation } from '../../../src/operation/manifests/apply-manifests.ts';
import { operation as deleteOperation } from '../../../src/operation/manifests/delete-manifests.ts';
import type { RequestOf } from '../../../src/operation/request.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';
import type { Workers } from '../../../src/workers/workers.ts';
import { configMap, crd, deployment, job } from '../manifests.ts';
import { run } from '../resumption/interrupted-run.ts';
import { snapshot } from '../resumption/snapshot.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, stepEnds, type World } from '../world.ts';

const test = sandboxTest();
let workers: Workers | undefined;
test.before(() => {
  workers = openWorkers({ allowNunjucks: false });
});
test.after.always(() => workers?.close());

/** Dependencies of charts and plans alone. */
const sources = {} as RequestSources;

type Context = Partial<OperationContext>;
type Options = Pick<RequestOf<'apply_manifests'>, 'prune' | 'takeOwnership' | 'timeout'>;

/** Returns a context with the renderer of an agent, which reads manifests in threads. */
function contextOf(world: World, context: Context = {}): OperationContext {
  if (workers === undefined) throw new Error('the threads have not started');
  return world.context({ renderer: workers.renderer, redactor: workers.redactor, ...context });
}

const text = (...manifests: readonly string[]) => manifests.join('---\n');

function requestOf({ namespace }: World, manifests: string[], options: Options = {}) {
  return {
    namespace,
    releaseName,
    manifests: text(...manifests),
    timeout: 55_000,
    settle: false,
    ...options,
  } as const;
}

function apply(world: World, manifests: string[], options: Options = {}, context: Context = {}) {
  return applyOperation.run(contextOf(world, context), requestOf(world, manifests, options));
}

function remove(world: World, options: Partial<RequestOf<'delete_manifests'>> = {}, context: Context = {}) {
  const request = deleteOperation.request({ namespace: world.namespace, releaseName, ...options }, sources);
  return deleteOperation.run(contextOf(world, context), request);
}

async function configMaps({ cluster, namespace }: World): Promise<string[]> {
  const found = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace });
  const names = found.map(({ metadata }) => metadata.name);
  return names.filter((name) => name !== 'kube-root-ca.crt').sort();
}

const valueOf = async (world: World, name: string) => {
  const { value } = ((await world.find('ConfigMap', name))?.['data'] ?? {}) as { value?: string };
  return value;
};

/** An object that the operations have not made. */
function foreign({ namespace }: World, name: string, metadata: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...metadata } };
}

test('the first apply creates the objects, and the next one changes and prunes them', async (t) => {
  const world = newWorld(t);
  const { release } = await apply(world, [configMap('a'), configMap('b'), deployment('web')]);
  t.is(release.info.status, 'deployed');
  t.deepEqual((await world.stored(1))?.chart.files, []); // the record has the manifests once
  t.deepEqual(await configMaps(world), ['a', 'b']);
  world.progress.length = 0;
  await apply(world, [configMap('a', '2'), configMap('c')]);
  t.deepEqual(await configMaps(world), ['a', 'c']);
  t.is(await valueOf(world, 'a'), '2');
  t.is(await world.find('Deployment', 'web'), undefined);
  t.true(stepEnds(world.progress).includes('wait:done'));
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  const { info } = await remove(world);
  t.is(info, '');
  t.deepEqual(await configMaps(world), []);
  t.deepEqual(await world.history(), []);
});

test('prunes only what the set owns and may delete', async (t) => {
  const world = newWorld(t);
  const kept = configMap('kept', '1', { 'helm.sh/resource-policy': 'keep' });
  await apply(world, ['a', 'b', 'disowned', 'taken'].map((name) => configMap(name)).concat(kept));
  const owners = (name: string) => ({ 'meta.helm.sh/release-name': name });
  for (const [name, owner] of [
    ['disowned', null],
    ['taken', 'other'],
  ] as const) {
    const patch = { metadata: { annotations: owners(owner as string) } };
    await world.cluster.mergePatch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name }, patch);
  }
  world.progress.length = 0;
  await apply(world, [configMap('a')]);
  t.deepEqual(await configMaps(world), ['a', 'disowned', 'kept', 'taken']);
  const messages = world.progress.map(({ message = '' }) => message);
  t.true(messages.some((text) => /left ConfigMap "disowned".*does not have the metadata of web/.test(text)));
  t.true(messages.some((text) => /left ConfigMap "taken".*belongs to release other/.test(text)));
});

test('deletes only what the set owns', async (t) => {
  const world = newWorld(t);
  await apply(world, [configMap('a'), configMap('disowned')]);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'disowned' };
  await world.cluster.mergePatch(ref, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
  await remove(world);
  t.deepEqual(await configMaps(world), ['disowned']);
  t.deepEqual(await world.history(), []);
});

test('without pruning, objects stay and leave the set', async (t) => {
  const world = newWorld(t);
  await apply(world, [configMap('a'), configMap('b')]);
  await apply(world, [configMap('a')], { prune: false });
  t.deepEqual(await configMaps(world), ['a', 'b']);
  await apply(world, [configMap('c')]);
  t.deepEqual(await configMaps(world), ['b', 'c']);
  await apply(world, [configMap('b', '2')]); // it still has the metadata of the set
  t.is(await valueOf(world, 'b'), '2');
});

test('a failed apply returns to the manifests before, even without pruning', async (t) => {
  const world = newWorld(t);
  await apply(world, [configMap('a'), configMap('b')]);
  const failing = [configMap('a', '2'), configMap('c'), job('broken', { args: ['fail'] })];
  await t.throwsAsync(apply(world, failing, { prune: false }), {
    message: /has been rolled back/,
  });
  t.deepEqual(await configMaps(world), ['a', 'b']);
  t.is(await valueOf(world, 'a'), '1');
  t.is(await world.find('Job', 'broken'), undefined);
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
});

test('a first apply that fails leaves nothing', async (t) => {
  const world = newWorld(t);
  const failing = [configMap('a'), job('broken', { args: ['fail'] })];
  await t.throwsAsync(apply(world, failing), { message: /has been uninstalled/ });
  t.deepEqual(await configMaps(world), []);
  t.deepEqual(await world.history(), []);
});

test('creates CRDs before the objects of their kinds are looked up, in whatever order they stand', async (t) => {
  const world = newWorld(t);
  const widget = JSON.stringify({ apiVersion: 'e.io/v1', kind: 'Settool', metadata: { name: 'w' }, size: 1 });
  await apply(world, [`${widget}\n`, crd('settool')]);
  const ref = { apiVersion: 'e.io/v1', kind: 'Settool', namespace: world.namespace, name: 'w' };
  t.is((await world.cluster.get(ref))?.['size'], 1);
  const crdRef = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'settools.e.io' };
  t.like((await world.cluster.get(crdRef))?.metadata.annotations, { 'meta.helm.sh/release-name': releaseName });
  const other = newWorld(t);
  await t.throwsAsync(apply(other, [crd('settool')]), { code: 'ownership_conflict' });
  t.deepEqual(await other.history(), []);
  await apply(world, [configMap('a'), crd('settool')]);
  t.is(await world.cluster.get(ref), undefined);
  await remove(world);
  t.is(await world.cluster.get(crdRef), undefined);
});

test('manifests are not templates', async (t) => {
  const world = newWorld(t);
  const template = '{{ lookup "v1" "Secret" "kube-system" "" }}{{ fail "x" }}';
  await apply(world, [configMap('a', template)]);
  t.is(await valueOf(world, 'a'), template);
});

test('refuses the objects of others unless it may take them over', async (t) => {
  const world = newWorld(t);
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: world.namespace } });
  await world.cluster.create(foreign(world, 'mine'));
  const refused = { code: 'ownership_conflict', message: /ConfigMap "mine" in namespace/ };
  await t.throwsAsync(apply(world, [configMap('a'), configMap('mine')]), refused);
  t.deepEqual(await configMaps(world), ['mine']);
  await apply(world, [configMap('a'), configMap('mine')], { takeOwnership: true });
  const second = { ...requestOf(world, [configMap('mine')]), releaseName: 'second' };
  await t.throwsAsync(applyOperation.run(contextOf(world), second), refused);
  t.is(await valueOf(world, 'mine'), '1');
});

test('does not touch the release of a chart', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const refused = {
    code: 'ownership_conflict',
    message: /is not a set of manifests, but a release of the chart "web"/,
  };
  await t.throwsAsync(apply(world, [configMap('b')]), refused);
  await t.throwsAsync(remove(world), refused);
  t.deepEqual(await configMaps(world), ['a']);
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('a dry run returns the differences without secrets, and changes nothing', async (t) => {
  const world = newWorld(t);
  const secret = (password: string) =>
    `${JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password } })}\n`;
  await apply(world, [secret('hunter-1'), configMap('a')]);
  const { differences = [] } = await applyOperation.perform(
    { ...requestOf(world, [secret('hunter-2'), configMap('b')]), dryRun: true },
    { ...contextOf(world), ...sources },
  );
  t.deepEqual(
    differences.map(({ change, name }) => `${change} ${name}`),
    ['changed s', 'added b', 'removed a'],
  );
  t.notRegex(JSON.stringify(differences), /hunter/);
  t.deepEqual(await configMaps(world), ['a']);
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('nothing reaches the namespace of the agent', async (t) => {
  const world = newWorld(t);
  const own = newWorld(t);
  const cluster = guardedCluster(world.cluster, own.namespace, 'not here');
  const there = JSON.stringify(foreign(own, 'a'));
  await t.throwsAsync(apply(world, [there], {}, { cluster }), { code: 'forbidden' });
  await t.throwsAsync(apply(own, [configMap('a')], {}, { cluster }), { code: 'forbidden' });
});

const bombs = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghijk'.split('').map(
    (name, i) =>
      `${name}: &${name} [${Array(9)
        .fill(`*${'abcdefghijk'[i] ?? ''}`)
        .join()}]`,
  ),
];

const refuses = test.macro({
  async exec(t, manifests: string, expected: { code?: string; message?: RegExp }) {
    const world = newWorld(t);
    await t.throwsAsync(apply(world, [manifests]), expected);
    t.deepEqual(await world.history(), []);
  },
  title: (name) => `refuses ${name}`,
});

const invalid = { code: 'invalid_manifest' };
test('a document in the midst of others, by its number', refuses, text(configMap('a'), '- b\n', configMap('c')), {
  ...invalid,
  message: /^document 2: a manifest must be a mapping$/,
});
test('text that is not YAML', refuses, 'a: [', invalid);
test('manifests without an object', refuses, '---\n# nothing\n---\n', invalid);
test('a document that is not an object', refuses, '- a\n', invalid);
test('an object without a kind', refuses, 'apiVersion: v1\nmetadata: { name: a }\n', invalid);
test(
  'a kind that the cluster does not have',
  refuses,
  'apiVersion: e.io/v9\nkind: Nothing\nmetadata: {name: a}\n',
  invalid,
);
test('a name that leaves its path', refuses, configMap('../secrets/x'), { code: 'invalid_name' });
test('an object without a name', refuses, 'apiVersion: v1\nkind: ConfigMap\n', invalid);
test('aliases that multiply', refuses, `${bombs.join('\n')}\n`, { message: /alias/ });
test('a document that is too deep', refuses, `apiVersion: v1\nkind: ConfigMap\nx: ${'['.repeat(100_000)}`, invalid);
test('too many objects', refuses, configMap('a').concat('---\n').repeat(10_001), { code: 'too_large' });
test('CRDs with too many nodes', refuses, crd('big').replace('"scope"', `"x":[${'1,'.repeat(1_100_000)}1],"scope"`), {
  code: 'too_large',
});

const first = [configMap('a'), configMap('b'), deployment('web')];
const second = [configMap('a', '2'), configMap('c'), deployment('web', { image: 'localhost/app:2' })];
const failing = [configMap('a', '3'), job('broken', { args: ['fail'] })];

const continues = test.macro({
  async exec(t, before: readonly string[][], command: readonly string[] | 'delete') {
    const [whole, interrupted] = [newWorld(t), newWorld(t)];
    for (const world of [whole, interrupted]) for (const manifests of before) await apply(world, manifests);
    const operationIn = (world: World) => {
      if (command !== 'delete') {
        const request = requestOf(world, [...command]);
        return {
          start: (context: OperationContext) =>
            applyOperation.perform(request, { ...contextOf(world, context), ...sources }),
          resume: (context: OperationContext, state: OperationState) =>
            applyOperation.perform(request, { ...contextOf(world, context), ...sources, state }),
        };
      }
      const request = { namespace: world.namespace, releaseName };
      return {
        start: (context: OperationContext) =>
          deleteOperation.perform(request, { ...contextOf(world, context), ...sources }),
        resume: (context: OperationContext, state: OperationState) =>
          deleteOperation.perform(request, { ...contextOf(world, context), ...sources, state }),
      };
    };
    const left = (world: World) => snapshot(world.cluster, world.context().storage, world.namespace);
    const expected = await run(operationIn(whole), () => contextOf(whole), 'never');
    const found = await run(operationIn(interrupted), () => contextOf(interrupted), 'before each checkpoint');
    t.true(found.interruptions > 2);
    t.is(found.error === undefined, expected.error === undefined, String(found.error));
    t.deepEqual(await left(interrupted), await left(whole));
  },
  title: (name) => `${name} is continued after each interruption`,
});
test('a first apply', continues, [], first);
test('a second apply', continues, [first], second);
test('an apply that fails', continues, [first], failing);
test('a deletion', continues, [first], 'delete');
