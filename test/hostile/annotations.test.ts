import test from 'ava';
import { agentId, startAgentUnderAttack } from './support/agent-under-attack.ts';

const starting = startAgentUnderAttack();
test.after.always(async () => (await starting).close());

const mebibyte = 1024 * 1024;
const times = (part: string) => part.repeat(Math.ceil(mebibyte / part.length));

interface Case {
  /** Codes of the response, of which each attempt has one. Default: `ok`. */
  code?: string;
  kind?: 'ConfigMap' | 'Job';
  /** Fields of `Chart.yaml` beside its name and version. */
  chart?: string;
  annotations?: Readonly<Record<string, string>>;
}

const subchart = { 'charts/b/Chart.yaml': 'apiVersion: v2\nname: b\nversion: 1.0.0\n' };
const jobSpec = 'spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: busybox}]}}}\n';
const hook = { 'helm.sh/hook': 'pre-install' };

const cases: Readonly<Record<string, Case>> = {
  'hook events': { annotations: { 'helm.sh/hook': times('pre-install,') } },
  'a hook event and commas': { annotations: { 'helm.sh/hook': `pre-install${times(',')}` } },
  'delete policies': { annotations: { ...hook, 'helm.sh/hook-delete-policy': times('hook-succeeded,') } },
  'a weight': { annotations: { ...hook, 'helm.sh/hook-weight': times('1') }, code: 'ok or invalid_manifest' },
  'a resource policy': { annotations: { 'helm.sh/resource-policy': times(' keep') } },
  'a time limit of digits': {
    annotations: { ...hook, 'helm-agent/hook-timeout': times('1') },
    code: 'invalid_manifest',
  },
  'a time limit of parts': {
    annotations: { ...hook, 'helm-agent/hook-timeout': times('1ns') },
    code: 'invalid_manifest',
  },
  'words of fail-fast': { kind: 'Job', annotations: { 'helm-agent/fail-fast': times('a=b,') } },
  'a condition': {
    annotations: { 'helm-agent/ready-when': `jsonpath={${times('.a')}}=b` },
    code: 'not_ready or invalid_manifest',
  },
  'alternatives of kubeVersion': {
    chart: `kubeVersion: "${times('>=1.0.0 || ')}>1"\n`,
    code: 'chart_incompatible',
  },
  'conditions of a dependency': { chart: `dependencies: [{name: b, version: 1.0.0, condition: "${times('a.b,')}"}]\n` },
  'parts of a condition of a dependency': {
    chart: `dependencies: [{name: b, version: 1.0.0, condition: "${times('a.')}b"}]\n`,
  },
};

let releases = 0;
for (const [input, { code = 'ok', kind = 'ConfigMap', chart = '', annotations = {} }] of Object.entries(cases)) {
  test.serial(`withstands 1 MiB of ${input}`, async (t) => {
    t.timeout(150_000);
    const agent = await starting;
    const chartName = `chart-${++releases}`;
    const apiVersion = kind === 'Job' ? 'batch/v1' : 'v1';
    const metadata = `{name: "{{ .Release.Name }}", annotations: ${JSON.stringify(annotations)}}`;
    await agent.addChart(chartName, {
      'Chart.yaml': `apiVersion: v2\nname: ${chartName}\nversion: 1.0.0\n${chart}`,
      'templates/object.yaml': `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\n${kind === 'Job' ? jobSpec : ''}`,
      ...(chart !== '' && subchart),
    });
    const send = () => [
      agent.plane.install(agentId, { releaseName: `hostile-${++releases}`, chartName, waitForJobs: true }),
    ];
    await agent.withstands(t, `annotations: 1 MiB of ${input}`, send, code);
  });
}
