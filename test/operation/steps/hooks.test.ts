import { KubeError } from '../../../src/kube/kube-error.ts';
import type { OperationError } from '../../../src/operation/error.ts';
import { configMap, hook, job } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest, timeUpWhen } from '../world.ts';

const test = sandboxTest();

test('runs hooks by weight, then by name, and keeps them out of the manifest', async (t) => {
  const chart = textChart({
    '1.yaml': configMap('late', '1', hook('pre-install', { weight: 5 })),
    '2.yaml': configMap('beta', '1', hook('pre-install')),
    '3.yaml': configMap('alpha', '1', hook('pre-install,pre-upgrade')),
    '4.yaml': configMap('first', '1', hook('pre-install', { weight: -1 })),
    '5.yaml': configMap('other', '1', hook('post-upgrade')),
    'a.yaml': configMap('a'),
  });
  const world = newWorld(t, chart);
  const release = await world.install(chart);
  const reported = world.progress.filter(
    ({ step, state, message }) => step === 'pre-hooks' && state === 'running' && message,
  );
  t.deepEqual(
    reported.map(({ message }) => message),
    [
      'pre-install hook ConfigMap first',
      'pre-install hook ConfigMap alpha',
      'pre-install hook ConfigMap beta',
      'pre-install hook ConfigMap late',
    ],
  );
  t.is(await world.find('ConfigMap', 'other'), undefined);
  t.false(release.manifest.includes('beta'));
  const object = await world.find('ConfigMap', 'first');
  t.is(
    object?.metadata.labels?.['app.kubernetes.io/managed-by'],
    undefined,
    'hooks do not have the labels of the release',
  );
  const runs = new Map(release.hooks?.map(({ name, last_run }) => [name, last_run.phase]));
  t.is(runs.get('first'), 'Succeeded');
  t.is(runs.get('other'), '');
});

test('waits for the end of a hook Job before it applies objects', async (t) => {
  const chart = textChart({ 'h.yaml': job('first', { annotations: hook('pre-install') }), 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const finished = (await world.find('Job', 'first'))?.['status'] as { completionTime: string };
  const created = (await world.find('ConfigMap', 'a'))?.metadata.creationTimestamp ?? '';
  t.true(finished.completionTime <= created);
});

test('deletes the object of an earlier run before a hook runs again', async (t) => {
  const chart = textChart({
    'h.yaml': job('h', { annotations: hook('pre-install,pre-upgrade') }),
    'a.yaml': configMap('a'),
  });
  const world = newWorld(t, chart);
  await world.install(chart);
  const before = await world.find('Job', 'h');
  await world.upgrade(chart);
  const after = await world.find('Job', 'h');
  t.truthy(after);
  t.not(after?.metadata.uid, before?.metadata.uid);
});

test('deletes hooks with the policy hook-succeeded after all have succeeded', async (t) => {
  const succeeded = { policy: 'hook-succeeded' };
  const chart = textChart({
    'h.yaml': job('h', { annotations: hook('pre-install', succeeded) }),
    'i.yaml': configMap('i', '1', hook('pre-install', { ...succeeded, weight: 1 })),
    'k.yaml': configMap('k', '1', hook('pre-install', { policy: 'hook-failed' })),
  });
  const world = newWorld(t, chart);
  await world.install(chart);
  t.is(await world.find('Job', 'h'), undefined);
  t.is(await world.find('ConfigMap', 'i'), undefined);
  t.truthy(await world.find('ConfigMap', 'k'));
});

test('a failed hook ends the operation before later hooks run', async (t) => {
  const chart = textChart({
    'e.yaml': configMap('earlier', '1', hook('pre-install', { weight: -1, policy: 'hook-succeeded' })),
    'h.yaml': job('h', { args: ['fail'], annotations: hook('pre-install') }),
    'l.yaml': configMap('later', '1', hook('pre-install', { weight: 1 })),
    'a.yaml': configMap('a'),
  });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(world.install(chart, { atomic: false }));
  t.is(error.code, 'hook_failed');
  t.regex(
    error.message,
    /^failed pre-install: resource Job\/.*\/h not ready\. status: Failed, message: Terminated: exit code 3 \(Error\) \(container main of pod h-/,
  );
  t.deepEqual(await world.history(), ['1:failed']);
  const stored = await world.stored(1);
  t.is(stored?.hooks?.find(({ name }) => name === 'h')?.last_run.phase, 'Failed');
  t.truthy(await world.find('Job', 'h'), 'its policy does not delete it');
  t.is(await world.find('ConfigMap', 'earlier'), undefined);
  t.is(await world.find('ConfigMap', 'later'), undefined);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('names the path of a hook that the API server refuses', async (t) => {
  const chart = textChart({ 'h.yaml': configMap('Bad_Name', '1', hook('pre-upgrade')), 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const error = await t.throwsAsync<OperationError>(world.upgrade(chart, { atomic: false }));
  t.is(error.code, 'hook_failed');
  t.regex(error.message, /^pre-upgrade hooks failed: warning: Hook pre-upgrade web\/templates\/h\.yaml failed: /);
});

test('waits for the end of a hook Pod', async (t) => {
  const container = { name: 'main', image: 'localhost/app:1', args: ['sleep', '1s'] };
  const metadata = { name: 'p', annotations: hook('post-install') };
  const spec = { restartPolicy: 'Never', containers: [container] };
  const chart = textChart({ 'p.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }) });
  const world = newWorld(t, chart);
  await world.install(chart);
  t.like((await world.find('Pod', 'p'))?.['status'], { phase: 'Succeeded' });
});

test('ends a hanging hook at the deadline of the operation', async (t) => {
  const chart = textChart({
    'h.yaml': job('h', { args: ['serve'], annotations: hook('pre-install', { policy: 'hook-failed' }) }),
  });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(
    world.install(chart, { timeout: 4000, atomic: false }, timeUpWhen(world, /^InProgress/)),
  );
  t.is(error.code, 'timeout');
  t.regex(error.message, /^failed pre-install: timed out after 4s\nresource Job\/.*\/h not ready\. status: InProgress/);
  t.is(await world.find('Job', 'h'), undefined, 'its policy deletes it');
});

test('refuses a hook that names an object of another release', async (t) => {
  const owner = textChart({ 'a.yaml': configMap('shared') });
  const world = newWorld(t, owner);
  await world.install(owner);
  for (const policy of ['before-hook-creation', 'hook-succeeded']) {
    const chart = textChart({ 'h.yaml': configMap('shared', '2', hook('pre-install', { policy })) });
    const other = newWorld(t, chart);
    const { namespace } = world;
    const error = await t.throwsAsync(
      other.install(chart, { namespace, releaseName: `other-${policy}`, atomic: false }),
    );
    t.like(error, { code: 'ownership_conflict' });
    t.regex(error.message, /ConfigMap "shared" in namespace "[^"]+" exists and belongs to release web in/);
  }
  t.deepEqual((await world.find('ConfigMap', 'shared'))?.['data'], { value: '1' });
});

test('changes an existing namespace in place, and deletes only one that the hook has created', async (t) => {
  const names = { old: 'hook-old', created: 'hook-created' };
  const namespaceHook = (name: string, policy: string) =>
    `${JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations: hook('pre-install', { policy }) } })}\n`;
  const chart = textChart({
    'a.yaml': namespaceHook(names.old, 'before-hook-creation,hook-succeeded'),
    'b.yaml': namespaceHook(names.created, 'before-hook-creation,hook-succeeded'),
  });
  const world = newWorld(t, chart);
  const ref = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name });
  const before = await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: names.old } });
  await world.install(chart);
  t.is((await world.cluster.get(ref(names.old)))?.metadata.uid, before.metadata.uid);
  t.is(await world.cluster.get(ref(names.created)), undefined);
});

test('deletes nothing and leaves earlier hooks if a hook cannot be applied, as Helm does', async (t) => {
  const chart = textChart({
    '1.yaml': configMap('first', '1', hook('pre-install', { policy: 'hook-succeeded' })),
    '2.yaml': configMap('Not-Valid', '1', hook('pre-install', { policy: 'hook-failed', weight: 1 })),
  });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart, { atomic: false }), { code: 'hook_failed' });
  t.truthy(await world.find('ConfigMap', 'first'));
});

test('stores the policy of hooks without one, as Helm does', async (t) => {
  const chart = textChart({ 'h.yaml': configMap('h', '1', hook('pre-install')) });
  const world = newWorld(t, chart);
  const release = await world.install(chart);
  t.deepEqual(release.hooks?.[0]?.delete_policies, ['before-hook-creation']);
});

test('continues if the run of a hook cannot be stored', async (t) => {
  const chart = textChart({ 'h.yaml': configMap('h', '1', hook('pre-install')) });
  const world = newWorld(t, chart);
  const { storage } = world.context();
  let isFirst = true;
  const update: typeof storage.update = async (revision, signal) => {
    if (!isFirst) return storage.update(revision, signal);
    isFirst = false;
    throw new KubeError('forbidden', 'not now');
  };
  const release = await world.install(chart, {}, { storage: { ...storage, update } });
  t.is(release.info.status, 'deployed');
  t.true(world.progress.some(({ message }) => message?.includes('could not store the run of hook') === true));
});
