import { mkdtempSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { CommandResult, SentCommand } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { packedApp } from '../bin/support/archive.ts';
import { useHarness } from './harness.ts';
import type { Harness } from './open-harness.ts';
import { kubeconfigText } from './real-cluster.ts';
import { writeChart } from './written-chart.ts';

const namespace = uniqueName('e2e-policy');
const other = `${namespace}-other`;
const folder = mkdtempSync(join(tmpdir(), 'e2e-policy-'));
const charts = join(folder, 'charts');
const file = join(folder, 'policy.yaml');

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** A day on which the tests do not run. */
const farDay = days[(new Date().getUTCDay() + 3) % 7] ?? '';

/** Each rule is for the releases that begin with its name. */
const rules: Readonly<Record<string, string>> = {
  deny: 'deny: not by hand',
  charts: 'charts: [local:plain, "upload:*"]',
  versions: 'versions: "<2.0.0"',
  digest: 'requireDigest: true',
  read: 'readKinds: [ConfigMap]',
  kinds: 'kinds: [ConfigMap, Deployment]',
  deniedkinds: 'deniedKinds: [Secret, "*.rbac.authorization.k8s.io"]',
  objectnamespaces: 'objectNamespaces: [release]',
  images: 'images: ["registry.example.com/*"]',
  lookup: 'lookup: release',
  lookupnone: 'lookup: none',
  lookupall: 'lookup: all',
  open: 'windows: [{ from: "00:00", to: "00:00" }]',
  closed: `windows: [{ days: [${farDay}], from: "00:00", to: "00:01" }]`,
  command: "conditions: [{ expression: '!has(command.payload.description)', message: no description }]",
  version: `conditions: [{ expression: 'chart.version == "1.0.0"' }]`,
  object: `conditions: [{ expression: 'object.kind != "Deployment" || object.spec.replicas == 0' }]`,
  now: `conditions: [{ expression: 'now > timestamp("2020-01-01T00:00:00Z")' }]`,
  commands: 'commands: [install_release, read]',
  callers: 'callers: [ci]',
};

const policyText = (names = Object.keys(rules)) => {
  const lines = names.map(
    (name) => `  - { name: ${name}, namespaces: [${namespace}], releases: ["${name}-*"], ${rules[name] ?? ''} }\n`,
  );
  return `rules:\n${lines.join('')}  - { name: see, namespaces: [${namespace}], commands: [read], deniedReadKinds: [ConfigMap] }\ndefault: deny\n`;
};
writeFileSync(file, policyText());

/** Replaces the file as a kubelet does it: at once. */
async function changePolicy(text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

const configMap = (metadata: string, data = 'a: b') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\ndata: { ${data} }\n`;
const workload = `apiVersion: apps/v1
kind: Deployment
metadata: { name: "{{ .Release.Name }}" }
spec:
  replicas: {{ .Values.replicas | default 0 }}
  selector: { matchLabels: { app: "{{ .Release.Name }}" } }
  template:
    metadata: { labels: { app: "{{ .Release.Name }}" } }
    spec: { containers: [{ name: a, image: "{{ .Values.image | default "registry.example.com/a:1" }}" }] }
`;
const named = '{ name: "{{ .Release.Name }}" }';
const manifests: Readonly<Record<string, string>> = {
  plain: configMap(named),
  workload,
  secret: `apiVersion: v1\nkind: Secret\nmetadata: ${named}\n`,
  elsewhere: configMap(`{ name: x, namespace: ${other} }`),
  hook: configMap(`{ name: x, namespace: ${other}, annotations: { helm.sh/hook: pre-install } }`),
  'looks-here': configMap(named, 'found: {{ (lookup "v1" "ConfigMap" .Release.Namespace "").items | len | quote }}'),
  'looks-pods': configMap(named, 'found: {{ (lookup "v1" "Pod" .Release.Namespace "").items | len | quote }}'),
  'looks-elsewhere': configMap(named, 'found: {{ (lookup "v1" "Secret" "kube-system" "").items | len | quote }}'),
};
const cluster = connectCluster({ text: kubeconfigText() });
const harness = useHarness(() => ({
  kubeconfig: kubeconfigText(),
  localCharts: charts,
  arguments: ['--policy-file', file],
}));

test.before('charts and namespaces', async () => {
  for (const [name, manifest] of Object.entries(manifests)) await writeChart(charts, name, { manifest });
  const files = { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 2.0.0\n' };
  await writeChart(charts, 'plain-2', { manifest: configMap(named), files });
  for (const name of [namespace, other]) {
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
});

test.after.always('charts and namespaces', async () => {
  for (const name of [namespace, other]) await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  await cluster.close();
  await rm(folder, { recursive: true });
});

test.after('no object was created in the other namespace', async (t) => {
  const found = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: other });
  t.false(found.some(({ metadata }) => metadata.name === 'x'));
});

type Send = (harness: Harness) => SentCommand | Promise<SentCommand>;

const install =
  (release: string, chartName: string, more: object = {}, sentBy?: string) =>
  ({ plane, agentId }: Harness): SentCommand<'install_release'> => {
    const fields = { namespace, releaseName: release, chartName, wait: false, createNamespace: false, ...more };
    return plane.install(agentId, fields, { sentBy });
  };

const minutes = 60_000;

const decision = test.macro(async (t, send: Send, refusal?: RegExp) => {
  t.timeout(5 * minutes);
  const command = await send(harness());
  const result: CommandResult = await command.result;
  if (refusal === undefined) {
    t.true(result.ok, result.ok ? '' : result.error.message);
  } else {
    t.false(result.ok);
    if (!result.ok) {
      t.is(result.error.code, 'denied_by_policy');
      t.regex(result.error.message, refusal);
    }
  }
});

test('a rule that denies', decision, install('deny-a', 'plain'), /rule deny .*: not by hand/);
test('no rule', decision, install('unknown', 'plain'), /no rule of the policy/);
test('another namespace', decision, install('charts-a', 'plain', { namespace: other }), /no rule of the policy/);
test('a chart that is allowed', decision, install('charts-b', 'plain'));
test(
  'a chart that is not allowed',
  decision,
  install('charts-c', 'workload'),
  /rule charts .*charts: "local:workload"/,
);
test('a version that is allowed', decision, install('versions-a', 'plain'));
test('a version that is not allowed', decision, install('versions-b', 'plain-2'), /versions: version 2\.0\.0/);
test('a chart without a digest', decision, install('digest-a', 'plain'), /requireDigest/);
test('a chart with its content', decision, async ({ plane, agentId }) => {
  const chartArchive = (await packedApp({ 'a.yaml': configMap(named) })).toString('base64');
  const fields = { namespace, releaseName: 'digest-b', chartName: 'app', chartArchive, wait: false };
  return plane.install(agentId, { ...fields, createNamespace: false });
});
test('a lookup of a kind that may be read', decision, install('read-a', 'looks-here'));
test('a lookup of a kind that may not be read', decision, install('read-b', 'looks-pods'), /readKinds: Pod/);
test('kinds that are allowed', decision, install('kinds-a', 'workload'));
test('a kind that is not allowed', decision, install('kinds-b', 'secret'), /kinds: Secret/);
test('kinds that are not denied', decision, install('deniedkinds-a', 'plain'));
test('a kind that is denied', decision, install('deniedkinds-b', 'secret'), /deniedKinds: Secret/);
test('objects in the namespace of the release', decision, install('objectnamespaces-a', 'plain'));
test('an object elsewhere', decision, install('objectnamespaces-b', 'elsewhere'), /objectNamespaces: ConfigMap x in/);
test('a hook elsewhere', decision, install('objectnamespaces-c', 'hook'), /objectNamespaces: ConfigMap x in/);
test('an image that is allowed', decision, install('images-a', 'workload'));
test(
  'an image that is not allowed',
  decision,
  install('images-b', 'workload', { values: 'image: docker.io/a' }),
  /images: /,
);
test('a lookup in the namespace of the release', decision, install('lookup-a', 'looks-here'));
test(
  'a lookup elsewhere',
  decision,
  install('lookup-b', 'looks-elsewhere'),
  /lookup: Secret in the namespace kube-system/,
);
test('a lookup where none is allowed', decision, install('lookupnone-a', 'looks-here'), /lookup: ConfigMap/);
test('a lookup elsewhere where all are allowed', decision, install('lookupall-a', 'looks-elsewhere'));
test('within a window', decision, install('open-a', 'plain'));
test('outside of the windows', decision, install('closed-a', 'plain'), /rule closed .*windows: /);
test('a condition on the command that holds', decision, install('command-a', 'plain'));
test(
  'a condition on the command',
  decision,
  install('command-b', 'plain', { description: 'x' }),
  /conditions\[0\]: no desc/,
);
test('a condition on the chart that holds', decision, install('version-a', 'plain'));
test('a condition on the chart', decision, install('version-b', 'plain-2'), /conditions\[0\]: chart\.version/);
test('a condition on objects that holds', decision, install('object-a', 'workload'));
test(
  'a condition on objects',
  decision,
  install('object-b', 'workload', { values: 'replicas: 2' }),
  /conditions\[0\]: object/,
);
test('a condition on the time that holds', decision, install('now-a', 'plain'));
test('a caller who is allowed', decision, install('callers-a', 'plain', {}, 'ci'));
test('a caller who is not allowed', decision, install('callers-b', 'plain', {}, 'cj'), /no rule of the policy/);
test('a command that is allowed', decision, install('commands-a', 'plain'));
test('a kind that may be read', decision, ({ plane, agentId }) =>
  plane.listObjects(agentId, { namespace, kind: 'deploy' }),
);
test(
  'a kind that may not be read, by its short name',
  decision,
  ({ plane, agentId }) => plane.listObjects(agentId, { namespace, kind: 'cm' }),
  /rule see .*deniedReadKinds: ConfigMap/,
);
test(
  'a command that is not allowed',
  decision,
  ({ plane, agentId }) => plane.rollback(agentId, { namespace, releaseName: 'commands-b' }),
  /no rule of the policy is for rollback_release/,
);

test.serial(
  'a policy that changes counts at once, and a wrong one refuses commands and says where it is wrong',
  async (t) => {
    t.timeout(5 * minutes);
    const outcomeOf = async (release: string) => {
      const result = await install(release, 'workload')(harness()).result;
      return result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`;
    };
    try {
      t.is(await outcomeOf('kinds-u'), 'ok');
      await changePolicy(`paused: audit until Friday\n${policyText()}`);
      t.regex(await outcomeOf('kinds-p'), /^denied_by_policy: the policy is paused: audit until Friday/);
      const shown = await harness().plane.status(harness().agentId, { namespace, releaseName: 'kinds-u' }).result;
      t.true(shown.ok, 'commands that read are performed');
      await changePolicy(policyText(['deny']));
      t.regex(await outcomeOf('kinds-v'), /^denied_by_policy: no rule/);
      await changePolicy(policyText().replace("'object.kind", "'objekt.kind").replace('"object.kind', '"objekt.kind'));
      t.regex(
        await outcomeOf('kinds-w'),
        /^policy_invalid: .*rules\[16\]\.conditions\[0\]\.expression of the rule object: 1:1: objekt/,
      );
      await changePolicy(policyText().replace('kinds:', 'kind:'));
      t.regex(await outcomeOf('kinds-x'), /^policy_invalid: .*rules\[5\]: .*kind/);
      await changePolicy(policyText());
      t.is(await outcomeOf('kinds-y'), 'ok');
    } finally {
      await changePolicy(policyText());
    }
  },
);
