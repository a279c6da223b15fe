import type { Cluster } from '../../../src/objects/cluster.ts';
import { fieldAt } from '../../../src/objects/fields.ts';
import { guardedCluster } from '../../../src/objects/guarded-cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { operation as deletePod } from '../../../src/operation/act/delete-pod.ts';
import { operation as pauseRollout } from '../../../src/operation/act/pause-rollout.ts';
import { operation as restartWorkload } from '../../../src/operation/act/restart-workload.ts';
import { operation as resumeRollout } from '../../../src/operation/act/resume-rollout.ts';
import { operation as runJob } from '../../../src/operation/act/run-job.ts';
import { operation as scaleWorkload } from '../../../src/operation/act/scale-workload.ts';
import { operation as startRelease } from '../../../src/operation/act/start-release.ts';
import { operation as stopRelease } from '../../../src/operation/act/stop-release.ts';
import { startPatch, stopPatch } from '../../../src/operation/act/stopped-workload.ts';
import type { TakeTurn } from '../../../src/operation/context.ts';
import { payloadReaders } from '../../../src/protocol/commands/index.ts';
import { decodePayload } from '../../../src/protocol/payload.ts';
import { configMap } from '../manifests.ts';
import { memoryCheckpoints } from '../resumption/memory-checkpoints.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, stepEnds, type World } from '../world.ts';

const test = sandboxTest();

const pods = (name: string) => `
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: app}]}
`;
const workload = (kind: string, name: string, replicas?: number) =>
  `apiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec:\n${replicas === undefined ? '' : `  replicas: ${replicas}\n`}${kind === 'StatefulSet' ? `  serviceName: ${name}` : ''}${pods(name)}`;
const cronJob = `apiVersion: batch/v1
kind: CronJob
metadata: {name: backup}
spec:
  schedule: '0 0 1 1 *'
  jobTemplate:
    metadata: {labels: {from: backup}}
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: job, image: job}]}
`;
const chart = textChart({
  'web.yaml': workload('Deployment', 'web', 2),
  'db.yaml': workload('StatefulSet', 'db', 1),
  'node.yaml': workload('DaemonSet', 'node'),
  'backup.yaml': cronJob,
  'config.yaml': configMap('config'),
});

async function installed(t: Parameters<typeof newWorld>[0]): Promise<World> {
  const world = newWorld(t, chart);
  await world.install(chart);
  return world;
}

const find = (world: World, kind: string, name: string, apiVersion = 'apps/v1') =>
  world.cluster.get({ apiVersion, kind, namespace: world.namespace, name });

const replicasOf = async (world: World, kind: string, name: string) =>
  fieldAt(await find(world, kind, name), 'spec', 'replicas');

async function podNames({ cluster, namespace }: World, app: string): Promise<string[]> {
  const listed = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: `app=${app}` });
  return listed.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name);
}

test('restarts a workload, and waits until its new pods are ready', async (t) => {
  const world = await installed(t);
  const before = await podNames(world, 'web');
  world.progress.length = 0;
  const { changes } = await restartWorkload.run(world.context(), {
    namespace: world.namespace,
    ...named('deploy', 'web'),
  });
  t.like(changes, [{ kind: 'Deployment', name: 'web', change: 'restarted' }]);
  t.deepEqual(stepEnds(world.progress), ['check:done', 'apply:done', 'wait:done']);
  const after = await podNames(world, 'web');
  t.is(after.length, 2);
  t.false(after.some((name) => before.includes(name)));
});

const named = (kind: string, name: string) => ({ kind, name });

test('an operation that is interrupted after its decision restarts the workload once', async (t) => {
  const world = await installed(t);
  const checkpoints = memoryCheckpoints();
  const id = 'restart-1';
  const request = { namespace: world.namespace, ...named('deploy', 'web') };
  const process = new AbortController();
  const interrupted = world.context({
    id,
    abandon: process.signal,
    checkpoints: {
      async save(state, isNeeded) {
        await checkpoints.save(state, isNeeded);
        if (state.step === 'wait') process.abort(new Error('the process has ended'));
      },
    },
  });
  await t.throwsAsync(restartWorkload.run(interrupted, request));
  const { generation } = (await find(world, 'Deployment', 'web'))?.metadata ?? {};
  const state = checkpoints.find(id);
  if (state === undefined || restartWorkload.resume === undefined) throw new Error('there is no state');
  await restartWorkload.resume(world.context({ id }), { ...state, step: 'apply' }, request);
  t.is((await find(world, 'Deployment', 'web'))?.metadata.generation, generation, 'the same change has no effect');
});

test('a pod is not deleted once more by a continued operation if it was replaced under its name', async (t) => {
  const world = await installed(t);
  const { uid } = (await find(world, 'Pod', 'db-0', 'v1'))?.metadata ?? {};
  const checkpoints = memoryCheckpoints();
  const request = { namespace: world.namespace, name: 'db-0' };
  await deletePod.run(world.context({ id: 'd', checkpoints }), request);
  const replaced = (await find(world, 'Pod', 'db-0', 'v1'))?.metadata;
  t.truthy(replaced?.uid);
  t.not(replaced?.uid, uid);
  const state = checkpoints.find('d');
  if (state === undefined || deletePod.resume === undefined) throw new Error('there is no state');
  await deletePod.resume(world.context({ id: 'd' }), { ...state, step: 'apply' }, request);
  t.is((await find(world, 'Pod', 'db-0', 'v1'))?.metadata.uid, replaced?.uid);
});

test('scales a workload to more pods and to none', async (t) => {
  const world = await installed(t);
  const scale = (replicas: number, kind = 'deploy', name = 'web') =>
    scaleWorkload.run(world.context(), { namespace: world.namespace, kind, name, replicas });
  t.like(await scale(3), { changes: [{ change: 'scaled from 2 to 3' }] });
  t.is((await podNames(world, 'web')).length, 3);
  await scale(0);
  t.deepEqual(await podNames(world, 'web'), []);
  await t.throwsAsync(scale(1, 'ds', 'node'), { code: 'bad_request', message: /DaemonSet cannot be scaled/ });
  await t.throwsAsync(scale(1, 'deploy', 'api'), { code: 'not_found', message: /there are: web$/ });
  const [replicaSet] = await world.cluster.list({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespace: world.namespace,
  });
  await t.throwsAsync(scale(1, 'rs', replicaSet?.metadata.name), { message: /belongs to Deployment web/ });
});

test('scales a ReplicationController, and waits until its pods are ready', async (t) => {
  const world = await installed(t);
  const { cluster, namespace } = world;
  const metadata = { name: 'old', namespace };
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'ReplicationController', metadata },
    spec: {
      replicas: 1,
      selector: { app: 'old' },
      template: { metadata: { labels: { app: 'old' } }, spec: { containers: [{ name: 'app', image: 'app' }] } },
    },
  });
  const { changes } = await scaleWorkload.run(world.context(), { namespace, ...named('rc', 'old'), replicas: 3 });
  t.like(changes, [{ kind: 'ReplicationController', change: 'scaled from 1 to 3' }]);
  const live = await cluster.get({ apiVersion: 'v1', kind: 'ReplicationController', ...metadata });
  t.is(fieldAt(live, 'status', 'readyReplicas'), 3);
});

test('a number of replicas is required, may be 0, and has limits', (t) => {
  const read = (replicas?: unknown) =>
    decodePayload(payloadReaders.scale_workload, JSON.stringify({ kind: 'deploy', name: 'web', replicas }));
  t.is(read(0).replicas, 0);
  for (const wrong of [undefined, null, '', -1, 1.5, 1e9, '3', [], Number.MAX_SAFE_INTEGER]) {
    t.throws(() => read(wrong), { code: 'bad_payload' }, JSON.stringify(wrong));
  }
});

test('pauses a rollout, which restart says, and resumes it', async (t) => {
  const world = await installed(t);
  const request = { namespace: world.namespace, name: 'web' };
  await pauseRollout.run(world.context(), request);
  t.is(fieldAt(await find(world, 'Deployment', 'web'), 'spec', 'paused'), true);
  await t.throwsAsync(restartWorkload.run(world.context(), { ...request, kind: 'deploy' }), {
    message: /is paused/,
  });
  await resumeRollout.run(world.context(), request);
  t.is(fieldAt(await find(world, 'Deployment', 'web'), 'spec', 'paused'), undefined);
});

test('runs a CronJob now, and a continued operation does not run it again', async (t) => {
  const world = await installed(t);
  const checkpoints = memoryCheckpoints();
  const request = { namespace: world.namespace, name: 'backup' };
  const { changes } = await runJob.run(world.context({ id: 'j', checkpoints }), request);
  const jobs = () => world.cluster.list({ apiVersion: 'batch/v1', kind: 'Job', namespace: world.namespace });
  const [job] = await jobs();
  t.is(changes[0]?.name, job?.metadata.name);
  t.is(job?.metadata.labels?.['from'], 'backup');
  t.is(job?.metadata.annotations?.['cronjob.kubernetes.io/instantiate'], 'manual');
  t.is(fieldAt(job, 'status', 'succeeded'), 1);
  const state = checkpoints.find('j');
  if (state === undefined || runJob.resume === undefined) throw new Error('there is no state');
  await runJob.resume(world.context({ id: 'j' }), { ...state, step: 'apply' }, request);
  t.is((await jobs()).length, 1);
  const other = { ...request, jobName: job?.metadata.name ?? '' };
  await t.throwsAsync(runJob.run(world.context({ id: 'k' }), other), { code: 'already_exists' });
});

test('stops a release and starts it again as it was', async (t) => {
  const world = await installed(t);
  const request = { namespace: world.namespace, releaseName };
  const stop = () => stopRelease.run(world.context(), request);
  const start = () => startRelease.run(world.context(), request);
  t.deepEqual(await start(), { changes: [] }, 'it is not stopped');
  const replicas = async () => [
    await replicasOf(world, 'Deployment', 'web'),
    await replicasOf(world, 'StatefulSet', 'db'),
  ];
  await world.cluster.mergePatch(
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' },
    { spec: { replicas: 4 } },
  );
  t.is((await stop()).changes.length, 4);
  t.deepEqual(await replicas(), [0, 0]);
  for (const app of ['web', 'db']) t.deepEqual(await podNames(world, app), []);
  t.true(fieldAt(await find(world, 'CronJob', 'backup', 'batch/v1'), 'spec', 'suspend'));
  t.deepEqual(await stop(), { changes: [] }, 'stopping twice forgets nothing');
  await start();
  t.deepEqual(await replicas(), [4, 1]);
  t.is((await podNames(world, 'web')).length, 4);
  t.false(fieldAt(await find(world, 'CronJob', 'backup', 'batch/v1'), 'spec', 'suspend'));
  const daemonSet = await find(world, 'DaemonSet', 'node');
  t.deepEqual(fieldAt(daemonSet, 'spec', 'template', 'spec', 'nodeSelector') ?? {}, {});
  t.deepEqual(await start(), { changes: [] });
  await t.throwsAsync(stopRelease.run(world.context(), { ...request, releaseName: 'no' }), {
    code: 'release_not_found',
  });
});

test('does not stop a release that an autoscaler would start again', async (t) => {
  const world = await installed(t);
  const { cluster, namespace } = world;
  const request = { namespace, releaseName };
  const autoscaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name: 'scaler' };
  await cluster.create({
    ...{ apiVersion: autoscaler.apiVersion, kind: autoscaler.kind, metadata: { namespace, name: 'scaler' } },
    spec: {
      minReplicas: 0,
      maxReplicas: 4,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    },
  });
  await t.throwsAsync(stopRelease.run(world.context(), request), {
    code: 'bad_request',
    message: /HorizontalPodAutoscaler scaler has minReplicas 0, so it would scale Deployment web up again/,
  });
  t.deepEqual([await replicasOf(world, 'Deployment', 'web'), await replicasOf(world, 'StatefulSet', 'db')], [2, 1]);
  await cluster.mergePatch(autoscaler, { spec: { minReplicas: 1 } });
  t.is((await stopRelease.run(world.context(), request)).changes.length, 4);
  await cluster.mergePatch(autoscaler, { spec: { minReplicas: 0 } });
  t.deepEqual(await stopRelease.run(world.context(), request), { changes: [] }, 'it is stopped');
});

const deployment = (replicas: number, note?: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...(note !== undefined && { annotations: { 'helm-agent/stopped': note } }) },
  spec: { replicas },
});

test('a workload that was started by others since it was stopped is stopped again, and not started', (t) => {
  t.is(stopPatch(deployment(3, '{"replicas":9}'))?.text, 'scaled from 3 to 0');
  t.deepEqual(startPatch(deployment(3, '{"replicas":9}'))?.patch, {
    metadata: { annotations: { 'helm-agent/stopped': null } },
  });
});

for (const note of [
  '',
  '{',
  '[]',
  'null',
  '{"replicas":-1}',
  '{"replicas":1e99}',
  '{"replicas":"x"}',
  '{"replicas":0.5}',
]) {
  test(`a forged note of what a workload was starts one pod: ${note}`, (t) => {
    t.is(startPatch(deployment(0, note))?.text, 'scaled from 0 to 1');
  });
}

test('a workload of another release under a name of this one is left', async (t) => {
  const world = await installed(t);
  const annotations = { 'meta.helm.sh/release-name': 'other' };
  await world.cluster.mergePatch(
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' },
    { metadata: { annotations } },
  );
  await stopRelease.run(world.context(), { namespace: world.namespace, releaseName });
  t.is(await replicasOf(world, 'Deployment', 'web'), 2);
});

test('nothing acts on the namespace of the agent', async (t) => {
  const world = await installed(t);
  const { namespace } = world;
  const cluster = guardedCluster(world.cluster, namespace, 'not here');
  const refused = { code: 'forbidden' };
  const context = world.context({ cluster });
  await t.throwsAsync(restartWorkload.run(context, { namespace, ...named('deploy', 'web') }), refused);
  await t.throwsAsync(deletePod.run(context, { namespace, name: 'db-0' }), refused);
  await t.throwsAsync(runJob.run(context, { namespace, name: 'backup' }), refused);
  await t.throwsAsync(stopRelease.run(context, { namespace, releaseName }), refused);
  t.is(await replicasOf(world, 'Deployment', 'web'), 2);
});

test('an object that another one replaces between the decision and the change is not changed', async (t) => {
  const world = await installed(t);
  const cluster: Cluster = {
    ...world.cluster,
    async get(ref, signal) {
      const found = await world.cluster.get(ref, signal);
      return found && ref.kind === 'Deployment' ? { ...found, metadata: { ...found.metadata, uid: 'gone' } } : found;
    },
  };
  const request = { namespace: world.namespace, kind: 'deploy', name: 'web', replicas: 7 };
  await t.throwsAsync(scaleWorkload.run(world.context({ cluster }), request), { message: /uid/i });
  t.is(await replicasOf(world, 'Deployment', 'web'), 2);
});

test('what changes an object of a release takes its turn on that release, and nothing else does', async (t) => {
  const world = await installed(t);
  const { namespace, cluster } = world;
  const turns: string[] = [];
  const takeTurn: TakeTurn = async ({ release, reason, isOneOfMany }, change) => {
    t.false(isOneOfMany);
    turns.push(`${release}: ${reason}`);
    return await change();
  };
  const context = () => world.context({ takeTurn });
  await restartWorkload.run(context(), { namespace, ...named('deploy', 'web') });
  await scaleWorkload.run(context(), { namespace, ...named('sts', 'db'), replicas: 0 });
  await pauseRollout.run(context(), { namespace, name: 'web' });
  await resumeRollout.run(context(), { namespace, name: 'web' });
  t.deepEqual(turns, [
    `${namespace}/${releaseName}: change of Deployment web`,
    `${namespace}/${releaseName}: change of StatefulSet db`,
    `${namespace}/${releaseName}: change of Deployment web`,
    `${namespace}/${releaseName}: change of Deployment web`,
  ]);
  turns.length = 0;
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  const long = { 'meta.helm.sh/release-name': 'x'.repeat(10_000) };
  await cluster.mergePatch(web, { metadata: { annotations: long } });
  await scaleWorkload.run(context(), { namespace, ...named('deploy', 'web'), replicas: 1 });
  await cluster.mergePatch(web, { metadata: { labels: null, annotations: { 'meta.helm.sh/release-name': 'other' } } });
  await scaleWorkload.run(context(), { namespace, ...named('deploy', 'web'), replicas: 2 });
  await t.throwsAsync(scaleWorkload.run(context(), { namespace, ...named('deploy', 'api'), replicas: 2 }), {
    code: 'not_found',
  });
  t.deepEqual(turns, []);
});

test('the wait for a turn counts towards the time limit, and changes nothing', async (t) => {
  const world = await installed(t);
  const takeTurn: TakeTurn = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  const request = { namespace: world.namespace, ...named('deploy', 'web'), replicas: 5, timeout: 60_000 };
  await t.throwsAsync(scaleWorkload.run(world.context({ takeTurn, queued: 59_990 }), request), { code: 'timeout' });
  t.is(await replicasOf(world, 'Deployment', 'web'), 2);
});
