import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { serveChart } from './chart-repository.ts';
import { useHarness } from './harness.ts';
import { kubeconfigText } from './real-cluster.ts';
import { printed } from './scenarios/output.ts';
import { newTwins } from './twins.ts';
import { writeChart } from './written-chart.ts';

const folder = mkdtempSync(join(tmpdir(), 'helm-agent-charts-'));
test.after.always(() => rm(folder, { recursive: true }));

const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: folder }));

const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${value}\n`;

test('template prints CRDs, resolves hosts and downloads dependencies as helm does', async (t) => {
  const part = await writeChart(folder, 'part', {
    manifest: configMap('part', '{{ .Chart.Version | quote }}'),
    crds: { 'part.yaml': '# kept as it is\nkind: Part\n\n' },
  });
  const repository = `http://127.0.0.1:${await serveChart(t, part)}`;
  const dependencies = `dependencies:\n- name: app\n  version: ^1.0.0\n  repository: ${repository}\n`;
  const chart = {
    manifest: configMap('own', '{{ getHostByName "127.0.0.1" | quote }}'),
    crds: { 'b.yaml': 'kind: B', 'a.yml': '---\nkind: A\n---\nkind: AA\n' },
    files: { 'Chart.yaml': `apiVersion: v2\nname: parent\nversion: 1.0.0\n${dependencies}` },
  };
  // helm writes what it downloads into the folder of the chart
  const path = await writeChart(join(folder, 'helm'), 'parent', chart);
  await writeChart(join(folder, 'agent'), 'parent', chart);
  const twins = newTwins(t, harness());
  for (const more of [['--include-crds'], ['--include-crds', '--enable-dns', '--skip-tests'], ['--enable-dns']]) {
    const flags = ['--dependency-update', ...more];
    const ofHelm = await twins.helm('template', 'site', path, ...flags);
    const ofAgent = await twins.ctl('template', 'site', 'agent/parent', '--on-agent', ...flags);
    t.is(ofAgent.code, 0, ofAgent.stderr);
    const documents = ofHelm.stdout.slice(ofHelm.stdout.indexOf('---\n')); // after what helm says about downloads
    t.is(printed(ofAgent.stdout, twins.agentNamespace), printed(documents, twins.helmNamespace));
  }
});
