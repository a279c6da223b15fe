import { fileURLToPath } from 'node:url';
import test from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { fieldAt } from '../../src/objects/fields.ts';
import type { CommandType } from '../../src/protocol/commands/index.ts';
import { uniqueName } from '../api/environment.ts';
import { eventually } from '../support/eventually.ts';
import { useHarness } from './harness.ts';
import { createNamespace, freeNamespace } from './namespaces.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';
import { runCtl } from './twins.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const rights = ['--allow-rights', 'read,deploy,act'];
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts, arguments: rights }));
const reader = useHarness(() => ({
  ...{ kubeconfig: kubeconfigText(), localCharts: charts },
  arguments: ['--allow-rights', 'read'],
}));

const cluster = connectCluster({ text: kubeconfigText() });
const untouched = uniqueName('e2e');
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: untouched, name: 'web' };

test.before('objects that no one changes', async () => {
  const metadata = { name: 'web', namespace: untouched };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'none' }] } };
  const jobSpec = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
  await createNamespace(cluster, untouched);
  await cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec });
  await cluster.create({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
    spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
  });
  await cluster.create({
    ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: jobSpec } },
  });
  await eventually('the Deployment controller has written the status', async () => {
    return fieldAt(await cluster.get(deployment), 'status', 'observedGeneration') !== undefined;
  });
});

test.after.always('objects that no one changes', async () => {
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: untouched });
  await cluster.close();
});

const refused = test.macro({
  title: (title = '', type: CommandType) => `an agent without the right to it refuses ${type}${title}`,
  async exec(t, type: CommandType, right: string, payload: object, line?: readonly string[]) {
    const { plane, agentId } = reader();
    const before = await cluster.get(deployment);
    const named = { namespace: untouched, ...payload };
    const result = await plane.send(agentId, { type, payload: named }).result;
    t.like(result, { ok: false, error: { code: 'forbidden' } });
    t.regex(
      result.ok ? '' : result.error.message,
      new RegExp(`needs the right "${right}"; its owner allows read, and`),
    );
    if (line !== undefined) {
      const { stderr, code } = await runCtl(reader(), [...line, '-n', untouched]);
      t.is(code, 1, stderr);
      t.regex(stderr, new RegExp(`needs the right "${right}".*--allow-rights.*\\(forbidden\\)`, 's'));
    }
    t.is((await cluster.get(deployment))?.metadata.resourceVersion, before?.metadata.resourceVersion);
    const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', namespace: untouched, name: 'web' });
    t.is(pod?.metadata.deletionTimestamp, undefined);
    t.deepEqual(await cluster.list({ apiVersion: 'batch/v1', kind: 'Job', namespace: untouched }), []);
  },
});

const web = { kind: 'deploy', name: 'web' };
const command = ['true'];
test(refused, 'pod_logs', 'logs', { name: 'web' }, ['logs', 'web']);
test(refused, 'port_forward', 'exec', { name: 'web', port: 80 });
test(refused, 'exec_pod', 'exec', { name: 'web', command });
test(' of cp', refused, 'exec_pod', 'exec', { name: 'web', command }, ['cp', 'web:/etc/hosts', 'copied-hosts']);
test(refused, 'restart_workload', 'act', web, ['restart', 'deploy', 'web']);
test(refused, 'scale_workload', 'act', { ...web, replicas: 1 }, ['scale', 'deploy', 'web', '1']);
test(refused, 'pause_rollout', 'act', { name: 'web' }, ['pause', 'web']);
test(refused, 'resume_rollout', 'act', { name: 'web' }, ['resume', 'web']);
test(refused, 'stop_release', 'act', { releaseName: 'web' }, ['stop', 'web']);
test(refused, 'start_release', 'act', { releaseName: 'web' }, ['start', 'web']);
test(refused, 'delete_pod', 'act', { name: 'web' }, ['delete-pod', 'web']);
test(refused, 'run_job', 'act', { name: 'web' }, ['run-job', 'web']);

test('scales a ReplicationController, and does not restart it', async (t) => {
  const namespace = freeNamespace(t, cluster);
  const metadata = { name: 'old', namespace };
  const container = { name: 'app', image: 'localhost/app:1', args: ['serve'] };
  await createNamespace(cluster, namespace);
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'ReplicationController', metadata },
    spec: {
      replicas: 1,
      selector: { app: 'old' },
      template: { metadata: { labels: { app: 'old' } }, spec: { containers: [container] } },
    },
  });
  const ctl = (...args: string[]) => runCtl(harness(), [...args, '-n', namespace]);
  const scaled = await ctl('scale', 'rc', 'old', '2');
  t.regex(scaled.stdout, /ReplicationController old scaled from 1 to 2/, scaled.stderr);
  const live = await cluster.get({ apiVersion: 'v1', kind: 'ReplicationController', namespace, name: 'old' });
  t.is(fieldAt(live, 'status', 'readyReplicas'), 2, 'it waits until both pods are ready');
  t.regex((await ctl('scale', 'rc', 'old', '0')).stdout, /scaled from 2 to 0/);
  t.regex((await ctl('restart', 'rc', 'old')).stderr, /ReplicationController cannot be restarted.*\(bad_request\)/s);
});

test('acts on what runs in a real cluster', async (t) => {
  const { plane, agentId } = harness();
  const namespace = freeNamespace(t, cluster);
  const ctl = async (...args: string[]) => {
    const { stdout, stderr, code } = await runCtl(harness(), [...args, '-n', namespace]);
    return { stdout, stderr, code };
  };
  const succeeds = async (expected: RegExp, ...args: string[]) => {
    const { stdout, stderr, code } = await ctl(...args);
    t.is(code, 0, `${args.join(' ')}: ${stderr}`);
    t.regex(stdout, expected);
  };
  const fails = async (expected: RegExp, ...args: string[]) => {
    const { stderr, code } = await ctl(...args);
    t.is(code, 1, args.join(' '));
    t.regex(stderr, expected);
  };
  const { outcome, result } = await performed(
    plane.install(agentId, { releaseName: 'site', namespace, chartName: 'verbs', values: 'deployment: true' }),
  );
  t.is(outcome, 'deployed', JSON.stringify(result));
  const [deployment] = await cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
  const name = deployment?.metadata.name ?? '';
  const live = () => cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
  const pods = async () => {
    const listed = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
    return listed
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  };

  const before = await pods();
  await succeeds(/Deployment \S+ restarted/, 'restart', 'deploy', name);
  t.false((await pods()).some((pod) => before.includes(pod)));
  await succeeds(/scaled from \d to 2/, 'scale', 'deploy', name, '2');
  t.is((await pods()).length, 2);
  const [pod = ''] = await pods();
  await succeeds(/Pod \S+ deleted/, 'delete-pod', pod);
  t.is((await pods()).length, 2);
  await succeeds(/paused/, 'pause', name);
  await fails(/is paused, so its pods would stay; resume it first.*\(bad_request\)/s, 'restart', 'deploy', name);
  await succeeds(/resumed/, 'resume', name);
  await succeeds(/scaled from 2 to 0/, 'stop', 'site');
  t.deepEqual(await pods(), []);
  await succeeds(/There was nothing to change/, 'stop', 'site');
  await succeeds(/scaled from 0 to 2/, 'start', 'site');
  t.is(fieldAt(await live(), 'spec', 'replicas'), 2);
  await fails(
    /there is no Deployment "nope" in namespace .*; there are: .*\(not_found\)/s,
    'scale',
    'deploy',
    'nope',
    '1',
  );

  const replicas = async () => fieldAt(await live(), 'spec', 'replicas');
  const autoscaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name };
  await cluster.create({
    apiVersion: autoscaler.apiVersion,
    kind: autoscaler.kind,
    metadata: { namespace, name },
    spec: { minReplicas: 3, maxReplicas: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
  });
  const disabled = async () => {
    const conditions = fieldAt(await cluster.get(autoscaler), 'status', 'conditions');
    return (Array.isArray(conditions) ? conditions : []).some(
      (condition) => fieldAt(condition, 'reason') === 'ScalingDisabled',
    );
  };
  await eventually('the autoscaler scales', async () => (await replicas()) === 3);
  await succeeds(/scaled from 3 to 0/, 'stop', 'site');
  await eventually('the autoscaler leaves a workload without replicas alone', disabled);
  t.is(await replicas(), 0);
  await succeeds(/scaled from 0 to 3/, 'start', 'site');
  t.like(fieldAt(await cluster.get(autoscaler), 'spec'), { minReplicas: 3, maxReplicas: 4 });
  await eventually('the autoscaler continues', async () => !(await disabled()));
  await succeeds(/scaled from 3 to 1/, 'scale', 'deploy', name, '1', '--no-wait');
  await eventually('the autoscaler scales again', async () => (await replicas()) === 3);
  await cluster.delete(autoscaler);

  const slow = plane.upgrade(agentId, {
    ...{ releaseName: 'site', namespace, chartName: 'verbs', forceConflicts: true },
    values: 'deployment: true\nimage: localhost/no-such-image:1',
  });
  const restart = plane.restartWorkload(agentId, { kind: 'deploy', name, namespace });
  const { events } = await performed(restart, ({ step }) => {
    if (step === 'queue') void plane.cancel(agentId, { key: slow.key });
  });
  t.true(events.some(({ type, payload }) => type === 'status' && 'position' in payload && payload.position === 1));
  t.like(await restart.result, { ok: true });
  t.like(await slow.result, { ok: false, error: { code: 'cancelled' } });

  const template = fieldAt(deployment, 'spec', 'template', 'spec', 'containers') as object[];
  const cronJob = (name: string, program: object) =>
    cluster.create({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name, namespace },
      spec: {
        schedule: '0 0 1 1 *',
        jobTemplate: {
          spec: {
            backoffLimit: 0,
            template: {
              spec: { restartPolicy: 'Never', containers: template.map((container) => ({ ...container, ...program })) },
            },
          },
        },
      },
    });
  await cronJob('backup', { args: ['sleep', '100ms'] });
  await succeeds(/Job backup-\w+ created/, 'run-job', 'backup');
  await cronJob('broken', { command: ['no-such-command'] });
  await fails(/container app of pod broken.*\(not_ready\)/s, 'run-job', 'broken');
  await cronJob('endless', {});
  await fails(/timed out after 5s.*\(timeout\)/s, 'run-job', 'endless', '--timeout', '5s');
});
