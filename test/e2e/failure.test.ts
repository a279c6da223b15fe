import { fileURLToPath } from 'node:url';
import test from 'ava';
import { useHarness } from './harness.ts';
import { helmJson, helmPrograms, type HistoryEntry } from './helm.ts';
import { contentsOf, freeNamespace, webKinds } from './namespaces.ts';
import { endsOf, errorOf, performed, statesOf, stepsOf } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';

const charts = fileURLToPath(new URL('../../examples/charts', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

const crashing = 'args: [fail, -after, 2s]\nmigration: { enabled: false }\n';
const secrets = [['v1', 'Secret']] as const;

test('removes an atomic install whose pod crashes, and gives the reason in the result', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const installed = await performed(
    plane.install(agentId, { releaseName: 'site', namespace, chartName: 'web', values: crashing, timeout: '25s' }),
  );
  const error = errorOf(installed);
  t.true(['timeout', 'not_ready'].includes(error.code), error.code);
  t.regex(error.message, /^release site failed, and has been uninstalled due to rollback-on-failure being set: /);
  t.regex(error.message, /Deployment\/.*site-web not ready.*(CrashLoopBackOff|exit code 3)/);
  const states = statesOf(installed, 'Deployment', 'site-web').join('\n');
  t.regex(states, /exit code 3/);
  t.like(endsOf(installed), { apply: 'done', wait: 'failed', uninstall: 'done' });
  t.deepEqual(await contentsOf(cluster, namespace, [...webKinds, ...secrets]), []);
});

test('keeps a failed install without atomic, which helm lists as failed', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const request = { releaseName: 'site', namespace, chartName: 'web', values: crashing };
  const options = { atomic: false, timeout: '20s', failFast: 'never' } as const;
  const installed = await performed(plane.install(agentId, { ...request, ...options }));
  t.is(errorOf(installed).code, 'timeout');
  t.false(stepsOf(installed).includes('uninstall'));
  t.deepEqual(await contentsOf(cluster, namespace, webKinds), [
    ...['ConfigMap/site-web', 'Deployment/site-web', 'Service/site-web'],
  ]);
  for (const program of helmPrograms) {
    const [entry] = await helmJson<HistoryEntry[]>(program, 'history', 'site', '--namespace', namespace);
    t.like(entry, { revision: 1, status: 'failed' }, program);
    t.regex(entry?.description ?? '', /^Release "site" failed: /, program);
  }
});

test("rolls back an atomic upgrade to a missing image, to revision 1's pods", async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const request = { releaseName: 'site', namespace, chartName: 'web' };
  const installed = await performed(
    plane.install(agentId, { ...request, values: 'migration: { enabled: false }\n', timeout: '60s' }),
  );
  t.is(installed.outcome, 'deployed', JSON.stringify(installed.result));
  const before = await contentsOf(cluster, namespace, [['v1', 'Pod']]);
  t.is(before.length, 1);

  const values = 'image: localhost/missing:1\nmigration: { enabled: false }\n';
  const upgraded = await performed(plane.upgrade(agentId, { ...request, values, timeout: '20s' }));
  const { message } = errorOf(upgraded);
  t.regex(message, /^release site failed, and has been rolled back due to rollback-on-failure being set: /);
  t.regex(message, /ErrImagePull|ImagePullBackOff/);
  t.regex(message, /localhost\/missing:1/);
  t.like(endsOf(upgraded), { wait: 'failed', rollback: 'done' });

  t.deepEqual(await contentsOf(cluster, namespace, [['v1', 'Pod']]), before);
  const deployment = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'site-web' });
  t.like(deployment, {
    spec: { template: { spec: { containers: { 0: { image: 'localhost/app:1' } } } } },
    status: { readyReplicas: 1, updatedReplicas: 1 },
  });
  for (const program of helmPrograms) {
    const entries = await helmJson<HistoryEntry[]>(program, 'history', 'site', '--namespace', namespace);
    t.deepEqual(
      entries.map(({ revision, status }) => `${revision} ${status}`),
      ['1 superseded', '2 failed', '3 deployed'],
      program,
    );
    t.regex(entries[1]?.description ?? '', /^Upgrade "site" failed: /);
    t.is(entries[2]?.description, 'Rollback to 1');
  }
});
