import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openReleases } from '../../src/compose/open-releases.ts';
import { testProgram } from '../cli/support/program.ts';
import { useHarness } from './harness.ts';
import { type Ended, runHelm } from './helm.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigFile, kubeconfigText } from './real-cluster.ts';
import { writeChart } from './written-chart.ts';

const folder = await mkdtemp(join(tmpdir(), 'helm-agent-json-'));

const manifest = `
apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}" }
data: {{ .Values.data | toJson }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-test", annotations: { helm.sh/hook: test } }
`;
const chart = await writeChart(folder, 'app', {
  manifest,
  files: {
    'Chart.yaml': `apiVersion: v2
name: app
version: 1.0.0
maintainers: [{ url: https://example.com, name: someone }]
annotations: { b: "1", a: "2" }
dependencies: [{ name: child, version: 1.0.0, condition: child.enabled, import-values: [data] }]
`,
    'values.yaml': 'data: {a: "0"}\n',
    'values.schema.json': '{}',
    'README.md': 'About <app>.\n',
    'templates/NOTES.txt': 'Notes of {{ .Release.Name }} & others.\n',
    'charts/child/Chart.yaml': 'apiVersion: v2\nname: child\nversion: 1.0.0\n',
    'charts/child/values.yaml': 'exports: { data: { imported: 1000000 } }\n',
  },
});

test.after.always(() => rm(folder, { recursive: true }));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: folder }));

/** A pipeline's commands, in order. `CHART` is the chart's path. */
const lines = [
  'install site CHART --create-namespace --set-string data.a=1 -o json',
  'list -o json',
  'status site -o json',
  'history site -o json',
  'get values site -o json',
  'get values site --all -o json',
  'get metadata site -o json',
  'upgrade site CHART --set-string data.a=2 --description second -o json',
  'upgrade site CHART --reuse-values --set-json data.b="x" --dry-run=server -o json',
  'upgrade site CHART --dry-run=client --hide-notes -o json',
  'upgrade site CHART --hide-notes --set child.enabled=false -o yaml',
  'upgrade site CHART --hide-notes',
  'upgrade new CHART --install --hide-notes -o yaml',
  'install newer CHART --hide-notes --dry-run=client',
  'get notes site',
  'get all site --template {{.Release.Name}}:{{.Release.Version}}:{{.Release.Info.Status}}:{{.Release.Config}}',
  'get all site --template {{range.Release.Hooks}}{{.Name}}{{.Events}}{{end}}{{.Release.Chart.Metadata.Version}}',
  'get all site --template {{.Release.Info.Nothing}}',
  'get all site --template {{.Release.Nothing}}{{end',
  'get all none --template {{.Release.Name}}',
  'status site --revision 1 -o json',
  'history site --max 1 -o json',
  'get values site --revision 1 -o json',
  'list --all -o json',
  'list --filter ^s -o json',
  'list --filter none -o json',
  'upgrade other CHART --install -l team=a -o json',
  'list -l team=a -o json',
  'list --max 1 --offset 1 -o json',
  'list -r -o json',
  'list -o yaml',
  'rollback site 1',
  'history site -o json',
  'test site',
  'get metadata other -o json',
  'get hooks site',
  'get manifest site --revision 2',
  'status none -o json',
  'get values none -o json',
  'uninstall other --keep-history',
  'list --uninstalled -o json',
  'status other -o json',
  'install other CHART -o json',
  'upgrade site CHART -o xml',
  'uninstall site other',
  'list -a -o json',
];

type RunLine = (args: string[]) => Promise<Ended>;

/** Returns what `helm-agent helm` does with a line, with these variables of the environment. */
function ownHelm(env: Record<string, string>): RunLine {
  return async (args) => {
    const { run, stdout, stderr } = testProgram({ env, openReleases: (...cluster) => openReleases(env, ...cluster) });
    const code = await run('helm', ...args);
    return { stdout: stdout.text, stderr: stderr.text, code };
  };
}

/** Replaces what differs between two runs of helm, and leaves out what docs/helm.md excepts. */
function comparable({ stdout, stderr, code }: Ended, namespace: string, line: string): Ended {
  const shown = (text: string) =>
    text
      .replaceAll(namespace, 'NAMESPACE')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d| [+-]\d{4} [A-Z]+)?/g, 'TIME')
      .replaceAll(/\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, 'TIME')
      .replaceAll(/(?<="modifiedAt":")\d+/g, 'TIME');
  const text = stdout.startsWith('{')
    ? JSON.stringify(JSON.parse(stdout, exceptionsOf(line)))
    : withoutFileTimes(stdout);
  return { stdout: shown(text), stderr: shown(stderr), code };
}

function withoutFileTimes(text: string): string {
  return text.replaceAll(/^ *(schema)?modtime: .*\n/gm, '');
}

function exceptionsOf(line: string): (key: string, value: unknown) => unknown {
  const hidesChart = line.includes('--reuse-values');
  return (key, value) =>
    hidesChart && key === 'chart' && typeof value === 'object' ? undefined : withoutExceptions(key, value);
}

function withoutExceptions(key: string, value: unknown): unknown {
  return key === 'resources' || key === 'modtime' || key === 'schemamodtime' ? undefined : value;
}

/** Runs all lines in a new namespace. */
async function outputs(run: RunLine, namespace: string): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const line of lines) {
    const args = line.split(' ').map((word) => (word === 'CHART' ? chart : word));
    ended.push(comparable(await run([...args, '--namespace', namespace]), namespace, line));
  }
  return ended;
}

for (const way of ['directly', 'through a control plane']) {
  test(`the commands of a pipeline print ${way} what they print with helm`, async (t) => {
    const { cluster, url, agentId } = harness();
    const home = { HOME: folder };
    const tunnel = { ...home, HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: agentId };
    const own = ownHelm(way === 'directly' ? { ...home, KUBECONFIG: kubeconfigFile() } : tunnel);
    const [ofHelm, ofAgent] = await Promise.all([
      outputs((args) => runHelm('helm4', ...args), freeNamespace(t, cluster)),
      outputs(own, freeNamespace(t, cluster)),
    ]);
    const byLine = (ended: readonly Ended[]) =>
      Object.fromEntries(lines.map((line, index) => [`${index + 1}: ${line}`, ended[index]]));
    t.deepEqual(byLine(ofAgent), byLine(ofHelm));
  });
}
