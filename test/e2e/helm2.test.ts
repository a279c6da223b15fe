import { fileURLToPath } from 'node:url';
import test from 'ava';
import { tillerRecord } from '../release/helm2/tiller-record.ts';
import { useHarness } from './harness.ts';
import { runHelm } from './helm.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';
import { runCtl } from './twins.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

const objectText = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  value: old\n';

test('an adopted release of Helm 2 is one to helm 3 and helm 4, which change and uninstall it', async (t) => {
  const { cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const manifest = `---\n# Source: web/templates/a.yaml\n${objectText}`;
  const release = { name: 'site', namespace, manifest, values: 'size: 3' };
  await cluster.create(tillerRecord(namespace, { ...release, version: 1, status: 3 }));
  await cluster.create(tillerRecord(namespace, { ...release, version: 2 }));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } };
  await cluster.create({ ...object, data: { value: 'old' } });
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace };

  const tiller = ['--tiller-namespace', namespace];
  const listed = await runCtl(harness(), ['list', '--helm2', '-q', ...tiller]);
  t.is(listed.stdout, 'site\n', listed.stderr);
  const adopted = await runCtl(harness(), ['adopt', 'site', '-n', namespace, ...tiller]);
  t.is(adopted.code, 0, adopted.stderr);
  t.like(await cluster.get(ref), { data: { value: 'old' } });

  for (const helm of ['helm3', 'helm4'] as const) {
    const { stdout } = await runHelm(helm, 'history', 'site', '-o', 'json', '--namespace', namespace);
    const revisions = JSON.parse(stdout) as { revision: number; status: string; chart: string }[];
    t.deepEqual(
      revisions.map(({ revision, status, chart }) => `${revision} ${status} ${chart}`),
      ['1 superseded web-1.1.0', '2 deployed web-1.2.0'],
    );
  }
  const rolledBack = await runHelm('helm3', 'rollback', 'site', '1', '--namespace', namespace);
  t.is(rolledBack.code, 0, rolledBack.stderr);
  t.like(await cluster.get(ref), { metadata: { annotations: { 'meta.helm.sh/release-name': 'site' } } });
  const uninstalled = await runHelm('helm4', 'uninstall', 'site', '--namespace', namespace);
  t.is(uninstalled.code, 0, uninstalled.stderr);
  t.is(await cluster.get(ref), undefined);
});
