import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Cluster } from '../../src/objects/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { Cancellation } from '../../src/operation/cancellation.ts';
import type { OperationError } from '../../src/operation/error.ts';
import type { Progress } from '../../src/operation/progress.ts';
import { configMap, crd, deployment, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, statusesOf, stepEnds, timeUpWhen } from './world.ts';

const test = sandboxTest();
const isWaiting = ({ step, resources }: Progress) => step === 'wait' && resources !== undefined;

test('uninstalls an atomic release whose image is missing at once, and gives the reason', async (t) => {
  const chart = textChart({
    'd.yaml': deployment('bad', { image: 'localhost/app:missing' }),
    'a.yaml': configMap('a'),
  });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(world.install(chart));
  t.is(error.code, 'not_ready');
  const { namespace } = world;
  t.regex(
    error.message,
    new RegExp(
      `^release web failed, and has been uninstalled due to rollback-on-failure being set: resource Deployment/${namespace}/bad not ready\\. status: InProgress, message: (ErrImagePull|ImagePullBackOff|Failed): .*localhost/app:missing.* \\((container app of )?pod bad-[a-z0-9-]+\\)$`,
    ),
  );
  const problem = { code: 'image_not_found', class: 'fatal' };
  t.like(error.resources, [{ kind: 'Deployment', name: 'bad', status: 'InProgress', problem }]);
  t.deepEqual(await world.history(), []);
  t.is(await world.find('Deployment', 'bad'), undefined);
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.deepEqual(stepEnds(world.progress).slice(-2), ['wait:failed', 'uninstall:done']);
});

test('waits until the deadline for an image that is missing if nothing is to end the wait earlier', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('bad', { image: 'localhost/app:missing' }) });
  const world = newWorld(t, chart);
  const install = world.install(chart, { failFast: 'never' }, timeUpWhen(world, /^InProgress ImagePullBackOff: /));
  await t.throwsAsync(install, { code: 'timeout', message: /: timed out after 55s\nresource Deployment/ });
});

test('gives the exit code of a container that crashes', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('bad', { behaviour: 'crash-loop' }) });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart, {}, timeUpWhen(world, /CrashLoopBackOff: last exit/)), {
    message: /last exit code 1 \(Error\)/,
  });
  t.true(statusesOf(world.progress, 'bad').some((status) => status.includes('CrashLoopBackOff: last exit code 1')));
});

test('an installation that waits for containers without a probe to settle finds one that crashes', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('bad', { args: ['sleep', '60s'], hasProbe: false }) });
  const world = newWorld(t, chart);
  await t.throwsAsync(
    world.install(chart, { settleUnprobed: 20_000 }, timeUpWhen(world, /CrashLoopBackOff: last exit/)),
    {
      message: /Deployment\/.*\/bad not ready\. status: InProgress/,
    },
  );
  await t.notThrowsAsync(world.install(chart)); // it counts as ready at once
});

test('ends the wait at once when a Job fails', async (t) => {
  const files = {
    'j.yaml': job('load', { args: ['fail'] }),
    'd.yaml': deployment('web', { behaviour: 'never-ready' }),
  };
  const chart = textChart(files);
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(world.install(chart));
  t.is(error.code, 'not_ready');
  // the event of the Job can arrive before that of its pod
  const reason = /(Terminated: exit code 3 \(Error\)|BackoffLimitExceeded: )/.source;
  t.regex(error.message, new RegExp(`resource Job/.*/load not ready\\. status: Failed, message: ${reason}`));
  t.false(error.message.includes('Deployment'));
});

test('keeps a failed release and its objects if it is not atomic', async (t) => {
  const chart = textChart({ 'j.yaml': job('load', { args: ['fail'] }), 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, { atomic: false }));
  t.regex(error.message, /^resource Job/);
  t.deepEqual(await world.history(), ['1:failed']);
  t.is((await world.stored(1))?.info.description, `Release "${releaseName}" failed: ${error.message}`);
  t.truthy(await world.find('ConfigMap', 'a'));
});

test('fails with the message of the API server if it refuses an object', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('Bad_Name') });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(world.install(chart));
  t.is(error.code, 'apply_failed');
  t.regex(error.message, /server-side apply failed for object op-[a-z0-9]+\/Bad_Name \/v1, Kind=ConfigMap: .*Bad_Name/);
  t.deepEqual(await world.history(), []);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('adds the error of undoing to the error of the installation', async (t) => {
  const chart = textChart({ 'j.yaml': job('load', { args: ['fail'] }), 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const refusing = {
    ...world.cluster,
    delete: () => Promise.reject(Object.assign(new Error('deletion is not allowed'), { code: 'forbidden' })),
  };
  const error = await t.throwsAsync<OperationError>(world.install(chart, {}, { cluster: refusing }));
  t.is(error.code, 'not_ready');
  t.regex(
    error.message,
    /^an error occurred while uninstalling the release\. original install error: resource Job.*: failed to delete release: web: deletion is not allowed/s,
  );
  const denied = 'deletion is not allowed';
  t.deepEqual(error.undoErrors, [
    { code: 'delete_failed', message: `failed to delete release: web: ${denied}; ${denied}` },
  ]);
  t.deepEqual(await world.history(), ['1:uninstalling']);
});

const leaving: [step: string, isThere: (item: Progress) => boolean][] = [
  ['apply', ({ step }) => step === 'apply'],
  ['wait', isWaiting],
];
for (const [step, isThere] of leaving) {
  for (const mode of ['leave', 'superseded'] as const) {
    test(`a cancel with the mode ${mode} during ${step} undoes nothing`, async (t) => {
      const chart = textChart({
        'a.yaml': configMap('a'),
        'd.yaml': deployment('web', { behaviour: 'never-ready' }),
      });
      const world = newWorld(t, chart);
      const cancel = new AbortController();
      const progress = (item: Progress) => {
        world.progress.push(item);
        if (isThere(item)) cancel.abort(new Cancellation('enough', mode));
      };
      const error = await t.throwsAsync<OperationError>(world.install(chart, {}, { signal: cancel.signal, progress }));
      t.is(error.code, 'cancelled');
      t.regex(error.message, /^cancelled: enough/);
      t.deepEqual(await world.history(), ['1:failed']);
      t.is(stepEnds(world.progress).at(-1), `${step}:failed`);
      if (step === 'wait') t.truthy(await world.find('Deployment', 'web'));
    });
  }
}

test('a cancel ends the wait and undoes the installation', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('web', { behaviour: 'never-ready' }) });
  const world = newWorld(t, chart);
  const cancel = new AbortController();
  const progress = (item: Progress) => {
    world.progress.push(item);
    if (isWaiting(item)) cancel.abort(new Error('asked to stop'));
  };
  const error = await t.throwsAsync<OperationError>(world.install(chart, {}, { signal: cancel.signal, progress }));
  t.is(error.code, 'cancelled');
  t.regex(
    error.message,
    /uninstalled due to rollback-on-failure being set: cancelled: asked to stop\nresource Deployment/,
  );
  t.deepEqual(await world.history(), []);
});

test('an object whose creation is under way when the operation is cancelled does not stay', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const cancel = new AbortController();
  const slow = {
    ...world.cluster,
    apply: (...[object, options]: Parameters<Cluster['apply']>) =>
      new Promise<KubeObject>((resolve, reject) => {
        options.signal?.addEventListener('abort', () => {
          reject(new DOMException('aborted', 'AbortError'));
        });
        setTimeout(() => {
          world.cluster.apply(object, { ...options, signal: new AbortController().signal }).then(resolve, reject);
        }, 200);
        cancel.abort(new Error('asked to stop'));
      }),
  };
  await t.throwsAsync(world.install(chart, {}, { cluster: slow, signal: cancel.signal }), { code: 'cancelled' });
  await setTimeoutPromise(300);
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.deepEqual(await world.history(), []);
});

test('installs and uninstalls although the connection breaks after each first write', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'h.yaml': job('h', { annotations: hook('pre-install') }) });
  const world = newWorld(t, chart);
  const { cluster } = world;
  const seen = new Set<string>();
  const losing = async <T>(what: string, request: Promise<T>): Promise<T> => {
    const result = await request;
    if (seen.has(what)) return result;
    seen.add(what);
    throw Object.assign(new Error('connection reset'), { code: 'unreachable' });
  };
  const unreliable: Cluster = {
    ...cluster,
    apply: (object, options) => losing(`apply ${object.metadata.name}`, cluster.apply(object, options)),
    create: (object, options) => losing(`create ${object.metadata.name}`, cluster.create(object, options)),
    delete: (ref, options) => losing(`delete ${ref.name}`, cluster.delete(ref, options)),
  };
  await world.install(chart, {}, { cluster: unreliable });
  t.deepEqual(await world.history(), ['1:deployed']);
  await world.uninstall({}, { cluster: unreliable });
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.deepEqual([...seen].sort(), ['apply a', 'apply h', `apply ${world.namespace}`, 'delete a']);
});

test('a cancel before the first step leaves nothing', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const signal = AbortSignal.abort(new Error('too late'));
  await t.throwsAsync(world.install(chart, {}, { signal }), { code: 'cancelled', message: 'cancelled: too late' });
  t.deepEqual(await world.history(), []);
  t.deepEqual(stepEnds(world.progress), []);
});

test('abandoning an operation leaves everything as it is', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('web', { behaviour: 'never-ready' }) });
  const world = newWorld(t, chart);
  const stop = new AbortController();
  const progress = (item: Progress) => {
    if (isWaiting(item)) stop.abort(new Error('going down'));
  };
  await t.throwsAsync(world.install(chart, {}, { abandon: stop.signal, progress }), { code: 'cancelled' });
  t.deepEqual(await world.history(), ['1:pending-install']);
  t.truthy(await world.find('Deployment', 'web'));
});

test('fails with the error of the chart source before it changes anything', async (t) => {
  const chart = textChart({});
  const world = newWorld(t, chart);
  const loadChart = () => Promise.reject(Object.assign(new Error('no such chart'), { code: 'chart_not_found' }));
  await t.throwsAsync(world.install(chart, { loadChart }), { code: 'chart_not_found', message: 'no such chart' });
  t.deepEqual(stepEnds(world.progress), ['load:failed']);
  t.is(await world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: world.namespace }), undefined);
});

test('ends the loading of a chart at the deadline', async (t) => {
  const chart = textChart({});
  const world = newWorld(t, chart);
  const loadChart = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
  const error = await t.throwsAsync(world.install(chart, { loadChart, timeout: 100 }));
  t.like(error, { code: 'timeout', message: 'timed out after 100ms' });
});

test('creates neither CRDs nor a namespace if a template fails', async (t) => {
  const chart = textChart(
    () => {
      throw Object.assign(new Error('boom'), { code: 'render_failed' });
    },
    { crds: { 'crd.yaml': crd('broken') } },
  );
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart), { code: 'render_failed', message: 'boom' });
  t.is(await world.cluster.get({ ...definition, name: 'brokens.e.io' }), undefined);
  t.is(await world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: world.namespace }), undefined);
});

const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

test('installs CRDs first, so that the chart can use their kinds', async (t) => {
  const chart = textChart(
    async ({ capabilities, lookup }) => {
      if (!capabilities.apiVersions.includes('e.io/v1/Gadget')) throw new Error('e.io/v1/Gadget is missing');
      await lookup?.('e.io/v1', 'Gadget', '', '');
      return { 'g.yaml': 'apiVersion: e.io/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {size: 1}\n' };
    },
    { crds: { 'crd.yaml': crd('gadget') } },
  );
  const world = newWorld(t, chart);
  const release = await world.install(chart);
  t.is(release.info.status, 'deployed');
  t.true(stepEnds(world.progress).includes('crds:done'));
  const ref = { apiVersion: 'e.io/v1', kind: 'Gadget', namespace: world.namespace, name: 'g' };
  t.truthy(await world.cluster.get(ref));

  await world.uninstall();
  t.is(await world.cluster.get(ref), undefined);
  t.truthy(await world.cluster.get({ ...definition, name: 'gadgets.e.io' }), 'CRDs are kept');

  world.progress.length = 0;
  await world.install(chart);
  t.true(stepEnds(world.progress).includes('crds:done'));
});

test('uninstalls no hooks after a failure, except by their policy', async (t) => {
  const failing = job('check', { args: ['fail'], annotations: hook('post-install', { policy: 'hook-failed' }) });
  const chart = textChart({ 'h.yaml': failing, 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(world.install(chart));
  t.is(error.code, 'hook_failed');
  t.regex(
    error.message,
    /being set: failed post-install: resource Job\/.*\/check not ready\. status: Failed, message: Terminated: exit code 3/,
  );
  t.is(await world.find('Job', 'check'), undefined);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('an installation that runs no hooks is undone without hooks', async (t) => {
  const chart = textChart({
    'j.yaml': job('load', { args: ['fail'] }),
    'pre.yaml': configMap('pre', '1', hook('pre-delete')),
    'post.yaml': configMap('post', '1', hook('post-delete')),
  });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart, { noHooks: true }), { code: 'not_ready' });
  t.deepEqual(await world.history(), []);
  t.is(await world.find('ConfigMap', 'pre'), undefined);
  t.is(await world.find('ConfigMap', 'post'), undefined);
});

test('the time limit of hooks counts while an installation is undone', async (t) => {
  const chart = textChart({
    'j.yaml': job('load', { args: ['fail'] }),
    'slow.yaml': job('slow', { args: ['sleep', '1000h'], annotations: hook('pre-delete') }),
  });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart, { hookTimeout: 300 }), {
    code: 'not_ready',
    message: /^an error occurred while uninstalling the release\..* did not end within its time limit of 300ms: /,
  });
});
