import type { Cluster } from '../../../src/objects/cluster.ts';
import { fieldAt } from '../../../src/objects/fields.ts';
import type { OperationError } from '../../../src/operation/error.ts';
import { configMap, deployment, job } from '../manifests.ts';
import { refusingCluster } from '../refusing-cluster.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();

const plain = { wait: false, atomic: false } as const;
const someone = { fieldManager: 'someone' };

function refTo(world: World, kind: string, name: string) {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : kind === 'Job' ? 'batch/v1' : 'v1';
  return { apiVersion, kind, namespace: world.namespace, name };
}

function messagesOf({ progress }: World): string[] {
  return progress.flatMap(({ message }) => message ?? []);
}

/** Returns the cluster, whose applies fail the first times. */
function failingApplies(cluster: Cluster, times: number, code: string): Cluster {
  let left = times;
  return {
    ...cluster,
    apply(object, options) {
      if (object.kind === 'Namespace' || left-- <= 0) return cluster.apply(object, options);
      return Promise.reject(Object.assign(new Error('refused for now'), { code }));
    },
  };
}

test('an upgrade of a client-side release undoes what others changed, and stays client-side', async (t) => {
  const charts = [
    textChart({ 'd.yaml': deployment('web') }),
    textChart({ 'd.yaml': deployment('web', { args: ['x'] }) }),
  ];
  const world = newWorld(t, ...charts);
  const [first = charts[0], second = charts[1]] = charts;
  if (!first || !second) throw new Error('no charts');
  const installed = await world.install(first, { ...plain, serverSide: false });
  t.is(installed.apply_method, 'csa');
  const ref = refTo(world, 'Deployment', 'web');
  await world.cluster.mergePatch(ref, { spec: { replicas: 5, minReadySeconds: 2 } }, someone);
  const upgraded = await world.upgrade(second, plain);
  t.is(upgraded.apply_method, 'csa');
  const live = await world.cluster.get(ref);
  t.is(fieldAt(live, 'spec', 'replicas'), 1);
  t.is(fieldAt(live, 'spec', 'minReadySeconds'), 2);
  const managers = live?.metadata['managedFields'] as { manager: string; operation: string }[];
  t.deepEqual(
    managers.filter(({ manager }) => manager === 'helm').map(({ operation }) => operation),
    ['Update'],
  );
  const forced = await world.upgrade(first, { ...plain, serverSide: true });
  t.is(forced.apply_method, 'ssa');
  const back = await world.rollback({ version: 2, wait: false });
  t.is(back.apply_method, 'csa');
});

test('a conflict names the fields and their managers, and forceConflicts resolves it', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a', '1') });
  const second = textChart({ 'a.yaml': configMap('a', '2') });
  const world = newWorld(t, first, second);
  await world.install(first, plain);
  await world.cluster.mergePatch(refTo(world, 'ConfigMap', 'a'), { data: { value: '9' } }, someone);
  const error = await t.throwsAsync<OperationError>(world.upgrade(second, plain));
  t.is(error.code, 'conflict');
  t.like(error.problems, {
    length: 1,
    0: { kind: 'ConfigMap', name: 'a', field: '.data.value', manager: 'someone' },
  });
  await world.upgrade(second, { ...plain, forceConflicts: true });
  t.is(fieldAt(await world.find('ConfigMap', 'a'), 'data', 'value'), '2');
});

test('forceReplace drops the fields of others', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart, { ...plain, serverSide: false });
  await world.cluster.mergePatch(refTo(world, 'ConfigMap', 'a'), { data: { theirs: '1' } }, someone);
  await world.upgrade(chart, { ...plain, forceReplace: true });
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
});

test('forceReplace replaces the version that another client has just written', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a', '1') });
  const next = textChart({ 'a.yaml': configMap('a', '2') });
  const world = newWorld(t, chart, next);
  await world.install(chart, { serverSide: false });
  let writes = 0;
  const cluster: Cluster = {
    ...world.cluster,
    async replace(object, options) {
      writes += 1;
      const { namespace } = world;
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
      if (writes === 1) await world.cluster.mergePatch(ref, { data: { other: 'x' } });
      return world.cluster.replace(object, options);
    },
  };
  await world.upgrade(next, { serverSide: false, forceReplace: true }, { cluster });
  t.is(writes, 2);
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { value: '2' });
});

test('refuses contradictory options before it stores a revision', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart, plain);
  await t.throwsAsync(world.upgrade(chart, { ...plain, forceReplace: true }), { code: 'bad_payload' });
  await t.throwsAsync(world.rollback({ version: 1, serverSide: false, forceConflicts: true }), { code: 'bad_payload' });
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('takes over an object of another release only on request', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a', '2') });
  const world = newWorld(t, chart);
  await world.install(chart, { ...plain, releaseName: 'other' });
  await t.throwsAsync(world.install(chart, plain), { code: 'ownership_conflict' });
  await world.install(chart, { ...plain, takeOwnership: true, forceConflicts: true });
  const annotations = (await world.find('ConfigMap', 'a'))?.metadata.annotations;
  t.is(annotations?.['meta.helm.sh/release-name'], 'web');
});

test('an upgrade does not change an object that another release has taken over', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart, plain);
  const annotations = { 'meta.helm.sh/release-name': 'other' };
  await world.cluster.mergePatch(refTo(world, 'ConfigMap', 'a'), { metadata: { annotations } }, someone);
  const error = await t.throwsAsync(world.upgrade(chart, plain), { code: 'ownership_conflict' });
  t.regex(
    error.message,
    /ConfigMap "a" .* key "meta\.helm\.sh\/release-name" must equal "web": current value is "other"/,
  );
});

test('an object that is replaced while it is changed is read again', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a', '1') });
  const second = textChart({ 'a.yaml': configMap('a', '2') });
  const world = newWorld(t, first, second);
  await world.install(first, plain);
  const ref = refTo(world, 'ConfigMap', 'a');
  let isReplaced = false;
  const cluster: Cluster = {
    ...world.cluster,
    async apply(object, options) {
      if (object.kind === 'ConfigMap' && !isReplaced) {
        isReplaced = true;
        await world.cluster.delete(ref);
        await world.cluster.create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', namespace: ref.namespace },
        });
      }
      return world.cluster.apply(object, options);
    },
  };
  await world.upgrade(second, plain, { cluster });
  t.true(isReplaced);
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { value: '2' });
});

for (const code of ['quota_conflict', 'webhook_unavailable']) {
  test(`repeats a write after ${code}, and says so once`, async (t) => {
    const chart = textChart({ 'a.yaml': configMap('a') });
    const world = newWorld(t, chart);
    await world.install(chart, plain, { cluster: failingApplies(world.cluster, 2, code) });
    t.truthy(await world.find('ConfigMap', 'a'));
    const said = messagesOf(world).filter((message) => message.includes('refused for now'));
    t.deepEqual(said, [`${world.namespace}/a /v1, Kind=ConfigMap is not accepted yet: refused for now; trying again`]);
  });
}

test('the error at the deadline says why the API server did not accept an object', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const cluster = failingApplies(world.cluster, Infinity, 'webhook_unavailable');
  const ends = new Set<() => void>();
  const context = {
    cluster,
    startTimer: (_: number, onEnd: () => void) => {
      ends.add(onEnd);
      return () => ends.delete(onEnd);
    },
    progress: ({ message = '' }: { message?: string }) => {
      if (message.includes('trying again')) for (const end of ends) setImmediate(end);
    },
  };
  const error = await t.throwsAsync(world.install(chart, plain, context), { code: 'timeout' });
  t.regex(error.message, /timed out after .*: \S+\/a \/v1, Kind=ConfigMap is not accepted yet: refused for now/);
});

test('reports each warning of the API server once', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, chart);
  const cluster: Cluster = {
    ...world.cluster,
    apply(object, options) {
      options.onWarning?.('this version is deprecated');
      return world.cluster.apply(object, options);
    },
  };
  await world.install(chart, plain, { cluster });
  const said = world.progress.filter(({ step, message }) => step === 'apply' && message?.includes('deprecated'));
  t.deepEqual(
    said.map(({ message }) => message),
    ['warning of the API server: this version is deprecated'],
  );
});

test('a change of an immutable field names the field, and recreate deletes and creates the object', async (t) => {
  const first = textChart({ 'j.yaml': job('task', { args: ['sleep', '1s'] }) });
  const second = textChart({ 'j.yaml': job('task', { args: ['sleep', '2s'] }) });
  const world = newWorld(t, first, second);
  await world.install(first, plain);
  const before = await world.find('Job', 'task');
  const error = await t.throwsAsync<OperationError>(world.upgrade(second, plain), { code: 'apply_failed' });
  t.regex(error.message, /field is immutable/);
  t.like(error.problems, { length: 1, 0: { kind: 'Job', name: 'task', field: 'spec.template' } });
  await world.upgrade(second, { ...plain, recreate: 'immutable' });
  const after = await world.find('Job', 'task');
  t.not(after?.metadata.uid, before?.metadata.uid);
  t.deepEqual(fieldAt(after, 'spec', 'template', 'spec', 'containers', '0'), undefined);
  t.true(messagesOf(world).some((message) => message.includes('has immutable fields that change')));
});

test('recreate does not delete an object whose new form is not valid, or whose policy is keep', async (t) => {
  const keep = { 'helm.sh/resource-policy': 'keep' };
  const first = textChart({ 'j.yaml': job('task'), 'k.yaml': job('kept', { annotations: keep }) });
  const invalid = textChart({
    'j.yaml': job('task', { args: ['x'] }).replace('"restartPolicy":"Never"', '"restartPolicy":"Always"'),
  });
  const changed = textChart({ 'k.yaml': job('kept', { args: ['x'], annotations: keep }) });
  const world = newWorld(t, first, invalid, changed);
  await world.install(first, plain);
  const uids = async () => [
    (await world.find('Job', 'task'))?.metadata.uid,
    (await world.find('Job', 'kept'))?.metadata.uid,
  ];
  const before = await uids();
  await t.throwsAsync(world.upgrade(invalid, { ...plain, recreate: 'immutable' }), { code: 'apply_failed' });
  await t.throwsAsync(world.upgrade(changed, { ...plain, recreate: 'immutable' }), { code: 'apply_failed' });
  t.deepEqual(await uids(), before);
});

test('an installation that is undone leaves the objects that it has adopted', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a', '2'), 'b.yaml': job('fails', { args: ['fail'] }) });
  const world = newWorld(t, chart);
  const { namespace } = world;
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  const annotations = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': namespace };
  const metadata = { name: 'a', namespace, labels, annotations };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: '1', old: '1' } };
  await world.cluster.create(object, { fieldManager: 'helm' });
  await t.throwsAsync(world.install(chart), { code: 'not_ready' });
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { value: '2' }, 'its fields were those of helm');
  t.is(await world.find('Job', 'fails'), undefined);
  t.deepEqual(await world.history(), []);
});

test('an object with only generateName fails server-side, as in Helm', async (t) => {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } });
  const chart = textChart({ 'a.yaml': text });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, plain), { code: 'apply_failed' });
  t.regex(
    error.message,
    /server-side apply failed for object \S+\/ \/v1, Kind=ConfigMap: resource name may not be empty/,
  );
});

test('an upgrade reads its objects at the same time before it changes them in order', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a', '1'), 'd.yaml': deployment('web', { replicas: 0 }) });
  const second = textChart({
    'a.yaml': configMap('a', '2'),
    'd.yaml': deployment('web', { replicas: 0, args: ['x'] }),
  });
  const world = newWorld(t, first, second);
  await world.install(first, plain);
  const calls: string[] = [];
  const cluster: Cluster = {
    ...world.cluster,
    get(ref, signal) {
      if (ref.kind !== 'Secret') calls.push(`get ${ref.kind}`);
      return world.cluster.get(ref, signal);
    },
    apply(object, options) {
      calls.push(`apply ${object.kind}`);
      return world.cluster.apply(object, options);
    },
  };
  await world.upgrade(second, plain, { cluster });
  t.deepEqual(calls, ['get ConfigMap', 'get Deployment', 'apply ConfigMap', 'apply Deployment']);
});

test('an object that appears while a client-side upgrade creates it is not taken over silently', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a') });
  const second = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b', '2') });
  const world = newWorld(t, first, second);
  await world.install(first, { ...plain, serverSide: false });
  const annotations = { 'meta.helm.sh/release-name': 'other', 'meta.helm.sh/release-namespace': world.namespace };
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  const metadata = { name: 'b', namespace: world.namespace, labels, annotations };
  const cluster: Cluster = {
    ...world.cluster,
    async create(object, options) {
      if (object.metadata.name === 'b') await world.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      return world.cluster.create(object, options);
    },
  };
  await t.throwsAsync(world.upgrade(second, plain, { cluster }), { code: 'ownership_conflict' });
  t.is((await world.find('ConfigMap', 'b'))?.['data'], undefined);
});

test('applies an object that the manifest has twice one after the other, as Helm does', async (t) => {
  const manifest = (first: string, second: string) => `${configMap('a', first)}\n---\n${configMap('a', second)}`;
  const charts = [textChart({ 'a.yaml': configMap('a', '1') }), textChart({ 'a.yaml': manifest('2', '1') })] as const;
  const world = newWorld(t, ...charts);
  await world.install(charts[0], { ...plain, serverSide: false });
  await world.upgrade(charts[1], plain);
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
});

test('an upgrade that cannot create an object leaves those after it as they were, also of its kind', async (t) => {
  const at = (value: string, added: string[] = []) =>
    textChart({
      'a.yaml': configMap('a', value),
      ...Object.fromEntries(added.map((name) => [`${name}.yaml`, configMap(name, value)])),
      'x.yaml': `${configMap('x', value)}\n---\n${configMap('y', value)}`,
    });
  const [first, second] = [at('1'), at('2', ['b', 'c', 'd'])];
  const world = newWorld(t, first, second);
  await world.install(first, plain);
  const cluster = refusingCluster(world.cluster, 'c');
  await t.throwsAsync(world.upgrade(second, plain, { cluster }), {
    message: /^failed to create resource: .*c is refused$/,
  });
  const valueOf = async (name: string) => fieldAt((await world.find('ConfigMap', name)) ?? {}, 'data', 'value');
  const values = await Promise.all(['a', 'b', 'c', 'd', 'x', 'y'].map(valueOf));
  t.deepEqual(values, ['2', '2', undefined, undefined, '1', '1']);
});
