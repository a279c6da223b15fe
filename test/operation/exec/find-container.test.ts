import type { KubeObject, ObjectRef } from '../../../src/objects/object.ts';
import { operation as runJob } from '../../../src/operation/act/run-job.ts';
import type { OperationContext } from '../../../src/operation/context.ts';
import { findContainer } from '../../../src/operation/exec/find-container.ts';
import { latestJobOf } from '../../../src/operation/objects/pods-of.ts';
import { findLogTarget } from '../../../src/operation/pod-logs/log-target.ts';
import { eventually } from '../../support/eventually.ts';
import { configMap } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();
const never = new AbortController().signal;

const container = { name: 'app', image: 'app', command: ['sleep', '10h'] };
const template = (app: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [container], ...more },
});
const job = (name: string) => ({ template: template(name, { restartPolicy: 'Never' }) });

const object = (apiVersion: string, kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name }, spec });
const workload = (kind: string, name: string, more: object = {}): string =>
  object('apps/v1', kind, name, { selector: { matchLabels: { app: name } }, template: template(name), ...more });

const chart = textChart({
  'deploy.yaml': workload('Deployment', 'web'),
  'sts.yaml': workload('StatefulSet', 'db', { serviceName: 'db' }),
  'ds.yaml': workload('DaemonSet', 'node'),
  'rs.yaml': workload('ReplicaSet', 'set'),
  'job.yaml': object('batch/v1', 'Job', 'load', job('load')),
  'cronjob.yaml': object('batch/v1', 'CronJob', 'backup', {
    schedule: '0 0 1 1 *',
    jobTemplate: { spec: job('cron') },
  }),
  'pod.yaml': object('v1', 'Pod', 'lone', { containers: [container] }),
  'config.yaml': configMap('config'),
});

const withoutWait = { wait: false } as const;

async function installed(t: Parameters<typeof newWorld>[0]): Promise<World> {
  const world = newWorld(t, chart);
  await world.install(chart, { wait: false, waitForJobs: false });
  return world;
}

const podsIn = ({ cluster, namespace }: World) => cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });

/** Returns the pods of a namespace when as many run as a test needs. */
async function runningPods(world: World, count: number): Promise<KubeObject[]> {
  const running = (pods: readonly KubeObject[]) =>
    pods.filter((pod) => (pod['status'] as { phase?: string }).phase === 'Running'); // a pod
  await eventually(`${count} pods run`, async () => running(await podsIn(world)).length === count);
  return running(await podsIn(world));
}

test('every kind of workload leads to a pod of it, and to its logs', async (t) => {
  const world = await installed(t);
  const { namespace } = world;
  const context = world.context();
  await t.throwsAsync(findContainer(context, { namespace, name: 'cronjob/backup' }, 'exec'), {
    code: 'not_found',
    message: 'CronJob backup has no Job; run_job (ctl run-job) runs one',
  });
  await runJob.run(world.context({ id: 'j' }), { namespace, name: 'backup', jobName: 'backup-1', ...withoutWait });
  const pods = await runningPods(world, 7);
  for (const [name, app] of [
    ['deploy/web', 'web'],
    ['deployments.apps/web', 'web'],
    ['sts/db', 'db'],
    ['ds/node', 'node'],
    ['rs/set', 'set'],
    ['job/load', 'load'],
    ['jobs.batch/load', 'load'],
    ['cronjob/backup', 'cron'],
    ['cj/backup', 'cron'],
    ['pod/lone', undefined],
    ['lone', undefined],
  ] as const) {
    const expected = pods.find(({ metadata }) => metadata.labels?.['app'] === app)?.metadata.name;
    t.deepEqual(
      await findContainer(context, { namespace, name }, 'exec'),
      { namespace, name: expected, container: 'app' },
      name,
    );
    const target = await findLogTarget(context, { namespace, name });
    t.deepEqual(
      pods.filter((pod) => target.isOf(pod)).map(({ metadata }) => metadata.name),
      [expected],
      name,
    );
  }
});

test('a CronJob means the newest Job that it owns', async (t) => {
  const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'backup', uid: 'c' } };
  const jobs = [
    ['old', 'c', '2030-01-01T00:00:00Z'],
    ['new', 'c', '2030-01-02T00:00:00Z'],
    ['other', 'x', '2030-01-03T00:00:00Z'],
    ['backup-lookalike', undefined, '2030-01-04T00:00:00Z'],
    ['undated', 'c', undefined],
  ].map(([name = '', uid, creationTimestamp]) => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: {
      ...{ name, namespace: 'shop' },
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(uid !== undefined && { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', uid }] }),
    },
  }));
  const cluster = {
    list: () => Promise.resolve(jobs),
    get: ({ name }: ObjectRef) => Promise.resolve(jobs.find(({ metadata }) => metadata.name === name)),
  };
  const context = { cluster, signal: never } as unknown as OperationContext; // it uses nothing else
  const ref = { apiVersion: 'batch/v1', kind: 'CronJob', namespace: 'shop', name: 'backup' };
  const found = await latestJobOf(context, { ref, object: cronJob });
  t.is(found.object.metadata.name, 'new');
  t.is(found.ref.name, 'new');
});

test('of a release, the pod that is ready is taken, also that of a Job, and else one that runs', async (t) => {
  const unready = {
    metadata: { annotations: { 'sandbox.helm-agent/behaviour': 'never-ready' }, labels: { app: 'slow' } },
  };
  const files = {
    'slow.yaml': workload('Deployment', 'slow', { template: { ...template('slow'), ...unready } }),
    'job.yaml': object('batch/v1', 'Job', 'load', job('load')),
  };
  const both = textChart(files);
  const world = newWorld(t, both);
  await world.install(both, { wait: false, waitForJobs: false });
  const { namespace } = world;
  await runningPods(world, 2);
  const found = async (target: object) => (await findContainer(world.context(), { namespace, ...target }, 'exec')).name;
  t.regex(await found({ releaseName }), /^load-/);
  t.regex(await found({ name: 'deploy/slow' }), /^slow-/);
});

test('an object without pods is refused, with what to do', async (t) => {
  const world = await installed(t);
  const { namespace } = world;
  await t.throwsAsync(findContainer(world.context(), { namespace, name: 'cm/config' }, 'exec'), {
    code: 'bad_request',
    message: 'ConfigMap config has no pods of its own; name a pod, a workload such as deploy/web, or a release',
  });
  await t.throwsAsync(findLogTarget(world.context(), { namespace, name: 'cm/config' }), {
    code: 'bad_request',
    message: /has no pods of its own/,
  });
});
