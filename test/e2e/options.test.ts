import { fileURLToPath } from 'node:url';
import test from 'ava';
import { useHarness } from './harness.ts';
import type { Ended } from './helm.ts';
import { kubeconfigText } from './real-cluster.ts';
import { printed } from './scenarios/output.ts';
import { newTwins } from './twins.ts';
import { wantedDifferences } from './wanted-differences.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

test('adds the notes of subcharts, in an order that does not change', async (t) => {
  const twins = newTwins(t, harness());
  const flags = ['--create-namespace', '--render-subchart-notes'];
  const ofHelm = await twins.helm('install', 'site', `${charts}/options`, ...flags);
  const ofAgent = await twins.ctl('install', 'site', 'options', ...flags, '--helm-defaults');
  t.regex(ofAgent.stdout, /NOTES:\nNotes of the child\.\n\nSize 1\.\n$/);
  const lines = ({ stdout }: Ended, namespace: string) => printed(stdout, namespace).split('\n').sort();
  t.deepEqual(lines(ofAgent, twins.agentNamespace), lines(ofHelm, twins.helmNamespace));
});

test('a test that fails is stored and printed as by helm', async (t) => {
  const twins = newTwins(t, harness());
  const flags = ['--create-namespace', '--set', 'tests.enabled=true,tests.args={fail}'];
  await twins.helm('install', 'site', `${charts}/options`, ...flags);
  await twins.ctl('install', 'site', 'options', ...flags, '--helm-defaults');
  const ofHelm = await twins.helm('test', 'site');
  const ofAgent = await twins.ctl('test', 'site');
  t.deepEqual([ofAgent.code, ofHelm.code], [1, 1]);
  t.is(printed(ofAgent.stdout, twins.agentNamespace), printed(ofHelm.stdout, twins.helmNamespace));
  t.regex(ofAgent.stderr, /site-first/); // the reason is more precise here
  const found = await twins.differences();
  t.deepEqual(
    found.filter((difference) => !wantedDifferences.some(({ starts }) => starts.test(difference))),
    [],
  );
});

test('template prints what helm template prints with the cluster', async (t) => {
  const twins = newTwins(t, harness());
  for (const flags of [
    ['--is-upgrade', '--set', 'size=2'],
    ['--skip-tests', '--set', 'tests.enabled=true'],
    ['--no-hooks'],
  ]) {
    const ofHelm = await twins.helm('template', 'site', `${charts}/options`, '--dry-run=server', ...flags);
    const ofAgent = await twins.ctl('template', 'site', 'options', ...flags);
    t.is(ofAgent.code, 0, ofAgent.stderr);
    t.is(printed(ofAgent.stdout, twins.agentNamespace), printed(ofHelm.stdout, twins.helmNamespace));
  }
});

test('diff shows what an upgrade changes and what has drifted, and no secrets', async (t) => {
  const { plane, agentId, cluster } = harness();
  const twins = newTwins(t, harness());
  const { agentNamespace: namespace } = twins;
  const name = { releaseName: 'site', namespace, chartName: 'options' };
  await plane.install(agentId, name).result;
  const set = [{ kind: 'set' as const, text: 'greeting=sentinel' }];
  const stored = await plane.diff(agentId, { ...name, set }).result;
  t.like(stored, { ok: true, unchanged: 1 });
  const text = JSON.stringify(stored);
  t.regex(text, /"path":"stringData.greeting","before":"\*\*\*","after":"\*\*\*"/);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'site-child' };
  await cluster.mergePatch(ref, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
  const live = await plane.diff(agentId, { ...name, against: 'live' }).result;
  const differences = live.ok ? live.differences.filter(({ name: object }) => object === 'site-child') : [];
  t.like(differences, { length: 1, 0: { change: 'changed' } });
});

test('a cancelled installation is uninstalled, and its result is cancelled', async (t) => {
  const { plane, agentId } = harness();
  const twins = newTwins(t, harness());
  const { agentNamespace: namespace } = twins;
  const values = '{deployment: true, image: "localhost/missing:1"}';
  const installation = plane.install(agentId, { releaseName: 'site', namespace, chartName: 'verbs', values });
  for await (const event of installation) {
    if (event.type !== 'status' || event.payload.step !== 'wait') continue;
    t.like(await plane.cancel(agentId, { key: installation.key }).result, { ok: true, cancelled: true });
    break;
  }
  t.like(await installation.result, { ok: false, error: { code: 'cancelled' } });
  t.deepEqual(await plane.list(agentId, { namespace }).result, { ok: true, releases: [] });
  t.like(await plane.cancel(agentId, { key: installation.key }).result, { cancelled: false });
});
