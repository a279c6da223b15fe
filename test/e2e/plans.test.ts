import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { useHarness } from './harness.ts';
import { runHelm } from './helm.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';
import { writeChart } from './written-chart.ts';

const folder = mkdtempSync(join(tmpdir(), 'helm-agent-charts-'));
test.after.always(() => rm(folder, { recursive: true }));

const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${value}\n`;
const small = '{{ .Values.size | quote }}';
const secret =
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  key: "{{ .Values.size }}-sentinel"\n';
/** More than 1 MiB, compressed. */
const parts = ['a', 'b'].map((name) => configMap(name, `"{{ .Values.size }}${randomBytes(450_000).toString('hex')}"`));
const files = { 'values.yaml': 'size: 1\n' };
test.before('charts', async () => {
  await writeChart(folder, 'planned', {
    manifest: `${configMap('a', small)}---\n${configMap('b', 'kept')}---\n${secret}`,
    files,
  });
  await writeChart(folder, 'large', { manifest: parts.join('---\n'), files });
});

const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: folder }));

const size = (text: string) => [{ kind: 'set' as const, text: `size=${text}` }];

test('a plan shows what changes, is performed as it is, and helm sees the revision', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const name = { releaseName: 'site', namespace, chartName: 'planned' };
  t.like(await plane.install(agentId, name).result, { ok: true });
  const planned = await plane.plan(agentId, { action: 'upgrade', ...name, set: size('2') }).result;
  if (!planned.ok) return t.fail(planned.error.message);
  t.deepEqual(
    planned.differences.map(({ change, kind, name: object }) => `${change} ${kind} ${object}`),
    ['changed Secret s', 'changed ConfigMap a'],
  );
  t.notRegex(JSON.stringify(planned), /sentinel/);
  const applied = await plane.applyPlan(agentId, { plan: planned.plan }).result;
  t.like(applied, { ok: true, release: { version: 2, info: { status: 'deployed' } } });
  const { stdout } = await runHelm('helm4', 'history', 'site', '-o', 'json', '--namespace', namespace);
  const revisions = JSON.parse(stdout) as { revision: number; status: string }[];
  t.like(revisions, { length: 2, 0: { status: 'superseded' }, 1: { revision: 2, status: 'deployed' } });
  const live = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' });
  t.like(live, { data: { value: '2' } });
});

test('a plan is out of date once helm has upgraded the release, and nothing changes', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const name = { releaseName: 'site', namespace, chartName: 'planned' };
  t.like(await plane.install(agentId, name).result, { ok: true });
  const planned = await plane.plan(agentId, { action: 'upgrade', ...name, set: size('2') }).result;
  if (!planned.ok) return t.fail(planned.error.message);
  await runHelm('helm4', 'upgrade', 'site', join(folder, 'planned'), '--set', 'size=3', '--namespace', namespace);
  const applied = await plane.applyPlan(agentId, { plan: planned.plan }).result;
  t.like(applied, { ok: false, error: { code: 'plan_stale' } });
  const live = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' });
  t.like(live, { data: { value: '3' } });
});

test('a release of more than 1 MiB is stored in parts on request, and leaves none', async (t) => {
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const name = { releaseName: 'site', namespace, chartName: 'large' };
  t.like(await plane.install(agentId, name).result, { ok: false, error: { code: 'release_too_large' } });
  t.is(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' }), undefined);
  const storage = 'chunked' as const;
  t.like(await plane.install(agentId, { ...name, storage }).result, { ok: true, release: { version: 1 } });
  t.like(await plane.upgrade(agentId, { ...name, storage, set: size('2') }).result, { ok: true });
  t.like(await plane.rollback(agentId, { releaseName: 'site', namespace }).result, { ok: true });
  const live = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' });
  t.regex(JSON.stringify(live?.['data']), /^\{"value":"1/);
  const history = await plane.history(agentId, { releaseName: 'site', namespace }).result;
  const statuses = history.ok ? history.releases.map(({ info }) => info.status) : [];
  t.deepEqual(statuses, ['superseded', 'superseded', 'deployed']);
  t.like(await plane.uninstall(agentId, { releaseName: 'site', namespace }).result, { ok: true });
  const secrets = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'owner' };
  // the garbage collector deletes the parts after their revision
  while ((await cluster.list({ ...secrets, metadataOnly: true })).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});
