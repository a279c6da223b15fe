import { fileURLToPath } from 'node:url';
import test from 'ava';
import { useHarness } from './harness.ts';
import { contentsOf, freeNamespace } from './namespaces.ts';
import { endsOf, errorOf, performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));
const hookedKinds = [
  ['v1', 'ConfigMap'],
  ['batch/v1', 'Job'],
] as const;

test('waits for a pre-install Job before it applies the objects of the chart', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const installed = await performed(
    plane.install(agentId, { releaseName: 'shop', namespace, chartName: 'hooked', timeout: '60s' }),
  );
  t.is(installed.outcome, 'deployed', JSON.stringify(installed.result));
  t.deepEqual(await contentsOf(cluster, namespace, hookedKinds), ['ConfigMap/shop-after', 'Job/shop-before']);
  const at = { namespace, apiVersion: 'batch/v1', kind: 'Job', name: 'shop-before' };
  const job = (await cluster.get(at)) as { status?: { completionTime?: string } } | undefined;
  const configMap = await cluster.get({ ...at, apiVersion: 'v1', kind: 'ConfigMap', name: 'shop-after' });
  const [completed, created] = [job?.status?.completionTime, configMap?.metadata.creationTimestamp];
  t.true(completed !== undefined && created !== undefined && completed <= created, `${completed} ${created}`);
});

test('ends the install immediately if a pre-install Job fails', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const request = { releaseName: 'shop', namespace, chartName: 'hooked', values: 'args: [fail]\n', timeout: '300s' };
  const started = performance.now();
  const installed = await performed(plane.install(agentId, request));
  t.true(performance.now() - started < 60_000, 'long before the timeout');
  const error = errorOf(installed);
  t.is(error.code, 'hook_failed');
  t.regex(error.message, /failed pre-install: /);
  t.regex(error.message, /boom: cannot reach database|exit code 3|exited with 3/);
  t.like(endsOf(installed), { 'pre-hooks': 'failed', uninstall: 'done' });
  t.deepEqual(await contentsOf(cluster, namespace, [['v1', 'ConfigMap']]), []);
});

test('sends each line of a hook once, in order', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const values = 'args: [sleep, 3s]\n';
  const request = { releaseName: 'shop', namespace, chartName: 'hooked', values, timeout: '60s', logs: true };
  const installed = await performed(plane.install(agentId, request));
  t.is(installed.outcome, 'deployed', JSON.stringify(installed.result));
  const logs = installed.events.flatMap(({ type, payload }) => (type === 'log' ? [payload] : []));
  t.like(logs[0], { event: 'pre-install', resource: { kind: 'Job', name: 'shop-before' }, container: 'before' });
  const lines = logs.flatMap((log) => log.lines);
  t.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['working', 'working', 'working', 'done'],
  );
  const selector = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: 'job-name=shop-before' };
  const [pod] = await cluster.list(selector);
  const container = { namespace, name: pod?.metadata.name ?? '', container: 'before' };
  t.is(`${lines.join('\n')}\n`, await cluster.podLog(container, { tailLines: 100 }));
});

test('sends the lines of a hook while it runs', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const values = 'args: [sleep, 120s]\n';
  const request = { releaseName: 'shop', namespace, chartName: 'hooked', values, timeout: '170s', logs: true };
  const installation = plane.install(agentId, request);
  let packets = 0;
  for await (const { type } of installation) {
    if (type === 'log') packets += 1;
    if (packets === 3) break;
  }
  const job = { namespace, apiVersion: 'batch/v1', kind: 'Job', name: 'shop-before' };
  t.like(await cluster.get(job), { status: { active: 1 } });
  t.true(await installation.cancel());
  t.like(await installation.result, { ok: false, error: { code: 'cancelled' } });
});
