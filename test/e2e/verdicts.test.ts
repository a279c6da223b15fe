import test from 'ava';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useHarness } from './harness.ts';
import { freeNamespace } from './namespaces.ts';
import { endsOf, errorOf, performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';
import { serveRegistry } from './registry.ts';
import { statefulSets, verdictCases } from './verdict-cases.ts';
import { writeChart } from './written-chart.ts';

const charts = await mkdtemp(join(tmpdir(), 'helm-agent-verdicts-'));
const registry = await serveRegistry();
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

test.after.always('charts and registry', async () => {
  registry.close();
  await rm(charts, { recursive: true });
});

for (const { name, title, manifest, outcome, problem, isEarly = false } of verdictCases) {
  test(`${title}: ${outcome}${problem === undefined ? '' : `, ${problem}`}`, async (t) => {
    t.timeout(240_000);
    const { plane, agentId, cluster } = harness();
    const namespace = freeNamespace(t, cluster);
    const chartName = await writeChart(charts, name, { manifest: manifest(registry.address) });
    const begin = Date.now();
    const request = { releaseName: 'web', namespace, chartName, timeout: '60s' };
    const installed = await performed(plane.install(agentId, request));
    const seconds = (Date.now() - begin) / 1000;
    t.is(installed.outcome, outcome, JSON.stringify(installed.result));
    t.log(`${seconds.toFixed(1)} s`);
    if (outcome === 'deployed') return;
    const { resources = [] } = errorOf(installed);
    if (problem !== undefined) t.true(resources.some((resource) => resource.problem?.code === problem));
    if (isEarly) t.true(seconds < 59, `${seconds}`);
    const types = installed.events.map(({ type }) => type);
    t.true(types.includes('evidence'));
    t.like(endsOf(installed), { wait: 'failed', uninstall: 'done' });
  });
}

test('a correction of a StatefulSet that crashes does not fail because of the old pods', async (t) => {
  t.timeout(240_000);
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const request = { releaseName: 'web', namespace, timeout: '60s' };
  const crashing = await writeChart(charts, 'crashing', { manifest: statefulSets.crashing });
  await performed(plane.install(agentId, { ...request, chartName: crashing, timeout: '25s', atomic: false }));
  const fixed = await writeChart(charts, 'fixed', { manifest: statefulSets.fixed });
  const upgraded = await performed(plane.upgrade(agentId, { ...request, chartName: fixed }));
  t.is(upgraded.outcome, 'deployed', JSON.stringify(upgraded.result));
});
