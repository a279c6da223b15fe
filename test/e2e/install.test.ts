import { fileURLToPath } from 'node:url';
import test from 'ava';
import { useHarness } from './harness.ts';
import { helm, helmJson, helmPrograms, type HistoryEntry, type ListedRelease } from './helm.ts';
import { contentsOf, freeNamespace, webKinds } from './namespaces.ts';
import { endsOf, performed, statesOf, stepsOf } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';

const charts = fileURLToPath(new URL('../../examples/charts', import.meta.url));
const webObjects = ['ConfigMap/site-web', 'Deployment/site-web', 'Job/site-web-migration-1', 'Service/site-web'];

const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

test('installs a chart with real pods, which helm lists, upgrades and uninstalls', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const values = 'greeting: good day\nreplicas: 2\n';
  const installed = await performed(
    plane.install(agentId, { releaseName: 'site', namespace, chartName: 'web', values, timeout: '100s' }),
  );
  t.is(installed.outcome, 'deployed', JSON.stringify(installed.result));

  t.deepEqual(await contentsOf(cluster, namespace, webKinds), webObjects);
  const deployment = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'site-web' });
  t.like(deployment, { status: { readyReplicas: 2, availableReplicas: 2 } });
  const job = await cluster.get({ apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'site-web-migration-1' });
  t.like(job, { status: { succeeded: 1 } });

  t.deepEqual(stepsOf(installed), [
    ...['load', 'crds', 'capabilities', 'render', 'check', 'namespace', 'record'],
    ...['pre-hooks', 'apply', 'wait', 'post-hooks', 'finish'],
  ]);
  t.true(Object.values(endsOf(installed)).every((state) => state === 'done' || state === 'skipped'));
  const states = statesOf(installed, 'Deployment', 'site-web');
  t.regex(states[0] ?? '', /^(InProgress|NotFound|Unknown): ./, 'a resource that is waited for says why');
  t.regex(states.at(-1) ?? '', /^Current: /);
  t.regex(statesOf(installed, 'Job', 'site-web-migration-1').at(-1) ?? '', /^Current: /);

  for (const program of helmPrograms) {
    const in_ = ['--namespace', namespace];
    const [listed] = await helmJson<ListedRelease[]>(program, 'list', ...in_);
    t.like(listed, { name: 'site', revision: '1', status: 'deployed', chart: 'web-1.0.0' }, program);
    const status = await helmJson<{ info: object }>(program, 'status', 'site', ...in_);
    t.like(status.info, { status: 'deployed', description: 'Install complete' }, program);
    t.deepEqual(await helmJson(program, 'get', 'values', 'site', ...in_), { greeting: 'good day', replicas: 2 });
    t.regex(await helm(program, 'get', 'manifest', 'site', ...in_), /# Source: web\/templates\/deployment\.yaml/);
    const [entry] = await helmJson<HistoryEntry[]>(program, 'history', 'site', ...in_);
    t.like(entry, { revision: 1, status: 'deployed', description: 'Install complete' }, program);
  }

  await helm('helm4', 'uninstall', 'site', '--namespace', namespace, '--wait');
  t.deepEqual(await contentsOf(cluster, namespace, webKinds), []);
  t.deepEqual(await contentsOf(cluster, namespace, [['v1', 'Secret']]), []);
});

for (const program of helmPrograms) {
  test(`lists, upgrades and uninstalls a release that ${program} installed`, async (t) => {
    const { plane, agentId, cluster } = harness();
    const namespace = freeNamespace(t, cluster);
    const arguments_ = ['--namespace', namespace, '--create-namespace', '--set', 'migration.enabled=false'];
    await helm(program, 'install', 'site', `${charts}/web`, ...arguments_);

    const { result: listed } = await performed(plane.list(agentId, { namespace }));
    t.like(listed, { ok: true, releases: { length: 1, 0: { name: 'site', namespace, version: 1 } } });

    const values = 'migration: { enabled: false }\ngreeting: changed\n';
    const upgraded = await performed(
      plane.upgrade(agentId, { releaseName: 'site', namespace, chartName: 'web', values, timeout: '60s' }),
    );
    t.is(upgraded.outcome, 'deployed', JSON.stringify(upgraded.result));
    const configMap = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'site-web' });
    t.like(configMap, { data: { greeting: 'changed' } });
    const entries = await helmJson<HistoryEntry[]>(program, 'history', 'site', '--namespace', namespace);
    t.deepEqual(
      entries.map(({ revision, status }) => `${revision} ${status}`),
      ['1 superseded', '2 deployed'],
    );

    const uninstalled = await performed(plane.uninstall(agentId, { releaseName: 'site', namespace, wait: true }));
    t.is(uninstalled.outcome, 'uninstalled', JSON.stringify(uninstalled.result));
    t.deepEqual(await contentsOf(cluster, namespace, webKinds), []);
    t.deepEqual(await contentsOf(cluster, namespace, [['v1', 'Secret']]), [], 'no revision is left');
  });
}
