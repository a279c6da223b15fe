import { randomUUID } from 'node:crypto';
import type { SentCommand } from '../../src/control-plane/index.ts';
import { signApproval } from '../../src/signatures/approval-statement.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import { packedApp } from '../bin/support/archive.ts';
import { answerOf } from '../bin/support/world.ts';
import { newSigner } from '../signatures/support/keys.ts';
import { provenanceOf, publicKeyring } from '../source/verification/signatures.ts';
import type { Harness } from './open-harness.ts';

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** A day on which the tests do not run. */
const farDay = days[(new Date().getUTCDay() + 3) % 7] ?? '';

const [ci, alice] = [newSigner(), newSigner()];
const hour = 3_600_000;

/** Each rule is for the releases that begin with its name. */
const caseRules: Readonly<Record<string, string>> = {
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
  sizes: 'sizes: { objects: 1, object: 1Ki, allObjects: 1Ki, chart: 1Ki, values: 100 }',
  allobjects: 'sizes: { objects: 2, allObjects: 300 }',
  values: 'valuesFrom: ["ConfigMap/kube-*"]',
  signed: 'signedBy: { roles: [deploy] }',
  approved: 'approvedBy: { roles: [ops] }',
  verified: 'verify: { keys: [vendor] }',
};

/** Returns a policy with some of the rules, for a namespace. */
export function casePolicy(namespace: string, names = Object.keys(caseRules)): string {
  const lines = names.map(
    (name) => `  - { name: ${name}, namespaces: [${namespace}], releases: ["${name}-*"], ${caseRules[name] ?? ''} }\n`,
  );
  return `keys:
  - { name: ci, publicKey: "${sshLineOf(ci.publicKey)}", roles: [deploy] }
  - { name: alice, publicKey: "${sshLineOf(alice.publicKey)}", roles: [ops] }
chartKeys:
  - name: vendor
    keyring: |
      ${publicKeyring.replaceAll('\n', '\n      ')}
rules:
${lines.join('')}  - { name: see, namespaces: [${namespace}], commands: [read], deniedReadKinds: [ConfigMap] }
default: deny
`;
}

const configMap = (metadata: string, data = 'a: b') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\ndata: { ${data} }\n`;
const named = '{ name: "{{ .Release.Name }}" }';
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

/** Returns the manifests of the charts of the agent, by their names. */
export function caseCharts(other: string): Record<string, string> {
  return {
    plain: configMap(named),
    workload,
    secret: `apiVersion: v1\nkind: Secret\nmetadata: ${named}\n`,
    elsewhere: configMap(`{ name: x, namespace: ${other} }`),
    hook: configMap(`{ name: x, namespace: ${other}, annotations: { helm.sh/hook: pre-install } }`),
    two: `${configMap(named)}---\n${configMap('{ name: "{{ .Release.Name }}-2" }')}`,
    large: configMap(named, `text: {{ repeat 1024 "a" }}`),
    'large-chart': `${configMap(named)}# ${'a'.repeat(1024)}\n`,
    'looks-here': configMap(named, 'found: {{ (lookup "v1" "ConfigMap" .Release.Namespace "").items | len | quote }}'),
    'looks-pods': configMap(named, 'found: {{ (lookup "v1" "Pod" .Release.Namespace "").items | len | quote }}'),
    'looks-elsewhere': configMap(named, 'found: {{ (lookup "v1" "Secret" "kube-system" "").items | len | quote }}'),
  };
}

/** The manifest of version 2.0.0 of a chart. */
export const secondVersion = configMap(named);

interface CaseWorld extends Pick<Harness, 'plane' | 'agentId'> {
  namespace: string;
  /** Another namespace. */
  other: string;
}

type Send = (world: CaseWorld) => SentCommand | Promise<SentCommand>;

interface PolicyCase {
  /** The field of the policy that the case is about. */
  field: string;
  title: string;
  send: Send;
  /** The message of the refusal. Undefined for a command that is performed. */
  refusal?: RegExp;
  /** Default: `denied_by_policy`. */
  code?: string;
}

const releaseOf = (release: string, chartName: string, { namespace }: CaseWorld) => ({
  ...{ namespace, releaseName: release, chartName, wait: false, createNamespace: false },
});

const install =
  (release: string, chartName: string, more: object = {}, sentBy?: string): Send =>
  (world) =>
    world.plane.install(world.agentId, { ...releaseOf(release, chartName, world), ...more }, { sentBy });

const archive = await packedApp({ 'a.yaml': configMap(named) });
const upload = (more: object = {}) => ({ chartArchive: archive.toString('base64'), ...more });
const chartProvenance = (await provenanceOf(archive, { fileName: 'app-1.0.0.tgz' })).toString();

const signed: Send = async (world) => {
  const { plane, agentId } = world;
  const command = { key: randomUUID(), type: 'install_release' as const };
  const packet = { ...command, payload: JSON.stringify(releaseOf('signed-b', 'plain', world)) };
  const envelope = await signCommand({ agentId, ...packet }, [ci], { now: Date.now(), lifetimeMs: hour });
  return plane.send(agentId, { ...packet, envelope });
};

const planned =
  (release: string, isApproved: boolean): Send =>
  async (world) => {
    const { plane, agentId, namespace } = world;
    const { digest } = await answerOf(
      plane.plan(agentId, { action: 'install', ...releaseOf(release, 'plain', world), wait: true }),
    );
    const plan = `${namespace}/${release}@${digest}`;
    const approval = await signApproval([{ agentId, plan }], [alice], { now: Date.now(), lifetimeMs: hour });
    if (isApproved) await answerOf(plane.approvePlan(agentId, { plan, approval }));
    return plane.applyPlan(agentId, { plan });
  };

const values = (name: string, key: string) => ({ valuesFrom: [{ kind: 'ConfigMap', name, key, targetPath: 'a' }] });

/** Commands that a policy allows, and commands that it refuses. */
export const policyCases: readonly PolicyCase[] = [
  {
    field: 'deny',
    title: 'a rule that denies',
    send: install('deny-a', 'plain'),
    refusal: /rule deny .*: not by hand/,
  },
  { field: 'deny', title: 'a rule that does not deny', send: install('kinds-d', 'plain') },
  { field: 'releases', title: 'no rule', send: install('unknown', 'plain'), refusal: /no rule of the policy/ },
  { field: 'releases', title: 'a rule for the release', send: install('charts-r', 'plain') },
  {
    ...{ field: 'namespaces', title: 'another namespace', refusal: /no rule of the policy/ },
    send: (world) => install('charts-a', 'plain', { namespace: world.other })(world),
  },
  { field: 'namespaces', title: 'the namespace of a rule', send: install('charts-n', 'plain') },
  { field: 'charts', title: 'a chart that is allowed', send: install('charts-b', 'plain') },
  {
    ...{ field: 'charts', title: 'a chart that is not allowed', send: install('charts-c', 'workload') },
    refusal: /rule charts .*charts: "local:workload"/,
  },
  { field: 'versions', title: 'a version that is allowed', send: install('versions-a', 'plain') },
  {
    ...{ field: 'versions', title: 'a version that is not allowed', send: install('versions-b', 'plain-2') },
    refusal: /versions: version 2\.0\.0/,
  },
  {
    ...{ field: 'requireDigest', title: 'a chart without a digest', send: install('digest-a', 'plain') },
    refusal: /requireDigest/,
  },
  { field: 'requireDigest', title: 'a chart with its content', send: install('digest-b', 'app', upload()) },
  { field: 'readKinds', title: 'a lookup of a kind that may be read', send: install('read-a', 'looks-here') },
  {
    ...{ field: 'readKinds', title: 'a lookup of a kind that may not be read', refusal: /readKinds: Pod/ },
    send: install('read-b', 'looks-pods'),
  },
  { field: 'kinds', title: 'kinds that are allowed', send: install('kinds-a', 'workload') },
  {
    ...{ field: 'kinds', title: 'a kind that is not allowed', send: install('kinds-b', 'secret') },
    refusal: /kinds: Secret/,
  },
  { field: 'deniedKinds', title: 'kinds that are not denied', send: install('deniedkinds-a', 'plain') },
  {
    ...{ field: 'deniedKinds', title: 'a kind that is denied', send: install('deniedkinds-b', 'secret') },
    refusal: /deniedKinds: Secret/,
  },
  {
    ...{ field: 'objectNamespaces', title: 'objects in the namespace of the release' },
    send: install('objectnamespaces-a', 'plain'),
  },
  {
    ...{ field: 'objectNamespaces', title: 'an object elsewhere', refusal: /objectNamespaces: ConfigMap x in/ },
    send: install('objectnamespaces-b', 'elsewhere'),
  },
  {
    ...{ field: 'objectNamespaces', title: 'a hook elsewhere', refusal: /objectNamespaces: ConfigMap x in/ },
    send: install('objectnamespaces-c', 'hook'),
  },
  { field: 'images', title: 'an image that is allowed', send: install('images-a', 'workload') },
  {
    ...{ field: 'images', title: 'an image that is not allowed', refusal: /images: / },
    send: install('images-b', 'workload', { values: 'image: docker.io/a' }),
  },
  { field: 'lookup', title: 'a lookup in the namespace of the release', send: install('lookup-a', 'looks-here') },
  {
    ...{ field: 'lookup', title: 'a lookup elsewhere', send: install('lookup-b', 'looks-elsewhere') },
    refusal: /lookup: Secret in the namespace kube-system/,
  },
  {
    ...{ field: 'lookup', title: 'a lookup where none is allowed', send: install('lookupnone-a', 'looks-here') },
    refusal: /lookup: ConfigMap/,
  },
  {
    ...{ field: 'lookup', title: 'a lookup elsewhere where all are allowed' },
    send: install('lookupall-a', 'looks-elsewhere'),
  },
  { field: 'windows', title: 'within a window', send: install('open-a', 'plain') },
  {
    ...{ field: 'windows', title: 'outside of the windows', send: install('closed-a', 'plain') },
    refusal: /rule closed .*windows: /,
  },
  { field: 'conditions', title: 'a condition on the command that holds', send: install('command-a', 'plain') },
  {
    ...{ field: 'conditions', title: 'a condition on the command', refusal: /conditions\[0\]: no desc/ },
    send: install('command-b', 'plain', { description: 'x' }),
  },
  { field: 'conditions', title: 'a condition on the chart that holds', send: install('version-a', 'plain') },
  {
    ...{ field: 'conditions', title: 'a condition on the chart', send: install('version-b', 'plain-2') },
    refusal: /conditions\[0\]: chart\.version/,
  },
  { field: 'conditions', title: 'a condition on objects that holds', send: install('object-a', 'workload') },
  {
    ...{ field: 'conditions', title: 'a condition on objects', refusal: /conditions\[0\]: object/ },
    send: install('object-b', 'workload', { values: 'replicas: 2' }),
  },
  { field: 'conditions', title: 'a condition on the time that holds', send: install('now-a', 'plain') },
  { field: 'callers', title: 'a caller who is allowed', send: install('callers-a', 'plain', {}, 'ci') },
  {
    ...{ field: 'callers', title: 'a caller who is not allowed', send: install('callers-b', 'plain', {}, 'cj') },
    refusal: /no rule of the policy/,
  },
  { field: 'commands', title: 'a command that is allowed', send: install('commands-a', 'plain') },
  {
    ...{ field: 'commands', title: 'a command that is not allowed' },
    send: ({ plane, agentId, namespace }) => plane.rollback(agentId, { namespace, releaseName: 'commands-b' }),
    refusal: /no rule of the policy is for rollback_release/,
  },
  {
    ...{ field: 'deniedReadKinds', title: 'a kind that may be read' },
    send: ({ plane, agentId, namespace }) => plane.listObjects(agentId, { namespace, kind: 'deploy' }),
  },
  {
    ...{ field: 'deniedReadKinds', title: 'a kind that may not be read, by its short name' },
    send: ({ plane, agentId, namespace }) => plane.listObjects(agentId, { namespace, kind: 'cm' }),
    refusal: /rule see .*deniedReadKinds: ConfigMap/,
  },
  ...['sizes.objects', 'sizes.object', 'sizes.chart', 'sizes.values'].map((field, index) => ({
    ...{ field, title: `${field} within its limit`, send: install(`sizes-a${index}`, 'plain', { values: 'a: b' }) },
  })),
  {
    ...{ field: 'sizes.objects', title: 'more objects than are allowed', send: install('sizes-b', 'two') },
    refusal: /rule sizes .*sizes\.objects: 2 objects/,
  },
  {
    ...{ field: 'sizes.object', title: 'an object that is too large', send: install('sizes-c', 'large') },
    refusal: /sizes\.object: ConfigMap sizes-c has more than 1024 bytes/,
  },
  {
    ...{ field: 'sizes.chart', title: 'a chart that is too large', send: install('sizes-d', 'large-chart') },
    refusal: /sizes\.chart: /,
  },
  {
    ...{ field: 'sizes.values', title: 'values that are too large', refusal: /sizes\.values: / },
    send: install('sizes-e', 'plain', { values: `a: ${'b'.repeat(100)}` }),
  },
  { field: 'sizes.allObjects', title: 'objects within their size', send: install('allobjects-a', 'plain') },
  {
    ...{
      field: 'sizes.allObjects',
      title: 'objects that are too large together',
      send: install('allobjects-b', 'two'),
    },
    refusal: /sizes\.allObjects: the objects have more than 300 bytes/,
  },
  {
    ...{ field: 'valuesFrom', title: 'values of an object that may give them' },
    send: install('values-a', 'plain', values('kube-root-ca.crt', 'ca.crt')),
  },
  {
    ...{ field: 'valuesFrom', title: 'values of another object', refusal: /valuesFrom: ConfigMap\/other/ },
    send: install('values-b', 'plain', values('other', 'a')),
  },
  {
    ...{ field: 'signedBy', title: 'a command without a signature', code: 'signature_required' },
    ...{ send: install('signed-a', 'plain'), refusal: /rule signed of the policy requires a signature/ },
  },
  { field: 'signedBy', title: 'a command with a signature', send: signed },
  {
    ...{ field: 'approvedBy', title: 'a command without a plan', code: 'approval_required' },
    ...{ send: install('approved-a', 'plain'), refusal: /only by plans/ },
  },
  {
    ...{ field: 'approvedBy', title: 'a plan without an approval', code: 'approval_required' },
    ...{ send: planned('approved-b', false), refusal: /it has none of them/ },
  },
  { field: 'approvedBy', title: 'a plan with an approval', send: planned('approved-c', true) },
  {
    ...{ field: 'verify', title: 'a chart without a signature', send: install('verified-a', 'app', upload()) },
    refusal: /rule verified .*verify: the chart app 1\.0\.0 has no signature/,
  },
  {
    ...{ field: 'verify', title: 'a chart with a signature' },
    send: install('verified-b', 'app', upload({ chartProvenance })),
  },
];

/** Fields whose cases need more than one agent: files with their tests, and parts of the titles. */
export const otherCases: Readonly<Record<string, { file: string; allowed: string; refused: string }>> = {
  agentVersions: {
    file: 'upgrade-agent.test.ts',
    allowed: 'another version is deployed within the policy',
    refused: 'an older version and a foreign image are refused',
  },
};
