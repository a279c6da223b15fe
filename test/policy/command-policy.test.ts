import test, { type ExecutionContext } from 'ava';
import { chartReferenceOf } from '../../src/policy/chart-reference.ts';
import { decide } from '../../src/policy/command-policy.ts';
import { PolicyError } from '../../src/policy/policy-error.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';
import { commandTable } from '../../src/protocol/commands/index.ts';
import { windowSchema, windowTest } from '../../src/protocol/window.ts';

const noon = new Date('2026-03-04T12:00:00Z'); // a Wednesday

const scope = ({ type = 'install_release', ...changes }: Partial<PolicyScope> = {}): PolicyScope => ({
  ...{ type, right: commandTable.find(type)?.definition.right ?? 'admin' },
  ...{ namespace: 'shop', releaseName: 'web', sentBy: undefined, changes: true, chart: undefined, payload: {} },
  ...changes,
});

const policyOf = (rule: string, rest = '') => readPolicy(`${rest}rules:\n  - { name: shop, ${rule} }\ndefault: deny\n`);

/** Runs `decide`, and returns the message of its refusal, or undefined. */
function refusalOf(t: ExecutionContext, run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    t.true(error instanceof PolicyError);
    t.is((error as PolicyError).code, 'denied_by_policy');
    return (error as PolicyError).message;
  }
}

const commands = test.macro((t, rule: string, changes: Partial<PolicyScope>, refusal?: string) => {
  const message = refusalOf(t, () => decide(policyOf(rule), scope(changes), { begins: noon }));
  if (refusal === undefined) t.is(message, undefined);
  else t.true(message?.includes(refusal), message);
});

test('a command is allowed by the first rule for it', commands, 'namespaces: [shop]', {});
test('a command without a rule is refused', commands, 'namespaces: [other]', {}, 'no rule of the policy is for');
test('a rule for callers is not for a command without one', commands, 'callers: [ci@*]', {}, 'no rule');
test('a rule for callers is for one of them', commands, 'callers: [ci@*]', { sentBy: 'ci@example.com' });
test('a rule for a right is for its commands', commands, 'commands: [deploy]', {});
test('a rule for a right is not for others', commands, 'commands: [read]', {}, 'no rule');
test(
  'a rule that denies says why',
  commands,
  'deny: ask platform first',
  {},
  'rule shop of the policy refuses it: ask',
);
test(
  'a rule for a namespace is not for a command on all',
  commands,
  'namespaces: [shop]',
  { type: 'list_releases', namespace: undefined, releaseName: undefined, changes: false },
  'no rule',
);

test('an earlier rule beats a later one', (t) => {
  const policy = readPolicy(
    'rules:\n  - { name: first, commands: [uninstall_release], deny: never }\n  - { name: all }\ndefault: deny\n',
  );
  t.is(decide(policy, scope(), { begins: noon }).rule, 'all');
  t.regex(
    refusalOf(t, () => decide(policy, scope({ type: 'uninstall_release' }), { begins: noon })) ?? '',
    /rule first .*: never/,
  );
});

test('default: allow allows what no rule is for', (t) => {
  const policy = readPolicy('rules: []\ndefault: allow\n');
  t.is(decide(policy, scope(), { begins: noon }).rule, undefined);
});

test('a pause refuses changes, and not what reads', (t) => {
  const policy = policyOf('namespaces: [shop]', 'paused: audit until Friday\n');
  t.regex(refusalOf(t, () => decide(policy, scope(), { begins: noon })) ?? '', /paused: audit until Friday/);
  t.notThrows(() => decide(policy, scope({ type: 'release_status', changes: false }), { begins: noon }));
  t.regex(
    refusalOf(t, () => decide(policy, scope({ type: 'exec_pod', changes: false }), { begins: noon })) ?? '',
    /paused/,
    'a program may change anything',
  );
  t.regex(refusalOf(t, () => decide(policy, scope(), 'continued')) ?? '', /paused/, 'a restart does not go around it');
});

const windows = test.macro((t, window: string, time: string, isOpen: boolean) => {
  const policy = policyOf(`windows: [${window}]`);
  const message = refusalOf(t, () => decide(policy, scope(), { begins: new Date(time) }));
  t.is(message === undefined, isOpen, message);
  if (!isOpen) t.true(message?.includes('windows: '));
  t.notThrows(() => decide(policy, scope(), 'continued'), 'what has begun in a window ends');
});

const night = "{ from: '22:00', to: '02:00' }";
test('a window is open at its first minute', windows, "{ from: '12:00', to: '13:00' }", '2026-03-04T12:00:00Z', true);
test('a window is closed at its end', windows, "{ from: '12:00', to: '13:00' }", '2026-03-04T13:00:00Z', false);
test('a window may pass midnight', windows, night, '2026-03-04T01:59:59Z', true);
test('a window that passes midnight is closed by day', windows, night, '2026-03-04T12:00:00Z', false);
test(
  'a window belongs to the day on which it begins',
  windows,
  "{ days: [tue], from: '22:00', to: '02:00' }",
  '2026-03-04T01:00:00Z',
  true,
);
test(
  'a window that begins today is not open early today',
  windows,
  "{ days: [wed], from: '22:00', to: '02:00' }",
  '2026-03-04T01:00:00Z',
  false,
);
test(
  'a window is in its time zone, in summer too',
  windows,
  "{ from: '14:00', to: '15:00', timeZone: Europe/Berlin }",
  '2026-07-01T12:30:00Z',
  true,
);
test('a window in UTC is that of another name of the time zone', (t) => {
  const fields = { days: ['tue', 'sun'], from: '06:30', to: '05:00' };
  const [own, other] = ['UTC', 'Etc/UTC'].map((timeZone) => windowTest(windowSchema.parse({ ...fields, timeZone })));
  const start = Date.parse('2024-02-26T00:00:00Z');
  for (let minute = 0; minute < 14 * 24 * 60; minute += 15) {
    const time = new Date(start + minute * 60_000);
    t.is(own?.(time), other?.(time), time.toISOString());
  }
});
test('Monday follows Sunday', windows, "{ days: [sun], from: '23:00', to: '01:00' }", '2026-03-09T00:30:00Z', true);
test(
  'equal times are a whole day',
  windows,
  "{ days: [wed], from: '00:00', to: '00:00' }",
  '2026-03-04T23:59:00Z',
  true,
);

const charts = test.macro((t, rule: string, payload: object, version: string, refusal?: string) => {
  const chart = chartReferenceOf(payload);
  const message = refusalOf(t, () =>
    decide(policyOf(rule), scope({ chart }), { begins: noon }).requireChart({ reference: chart, version }),
  );
  if (refusal === undefined) t.is(message, undefined);
  else t.true(message?.includes(refusal), message);
});

const registry = 'charts: ["oci://registry.example.com/team/*"]';
const repository = 'charts: ["https://charts.example.com/team/*"]';
const chart = (chartName: string, more: object = {}) => ({ chartName, ...more });
const digest = 'a'.repeat(64);

test('a chart of a registry is allowed', charts, registry, chart('oci://registry.example.com/team/web'), '1.0.0');
test(
  'the host of a registry is compared in lower case',
  charts,
  registry,
  chart('OCI://Registry.example.com/team/web'),
  '1.0.0',
);
test(
  'a registry and a name are one reference',
  charts,
  registry,
  chart('web', { repoUrl: 'oci://registry.example.com/team' }),
  '1.0.0',
);
test('another registry is refused', charts, registry, chart('oci://evil.example.com/team/web'), '1.0.0', 'charts: ');
test(
  'dots do not lead out of a registry folder',
  charts,
  registry,
  chart('oci://registry.example.com/team/../evil/web'),
  '1.0.0',
  'oci://registry.example.com/evil/web',
);
test(
  'encoded dots do not lead out of it',
  charts,
  registry,
  chart('oci://registry.example.com/team/%2e%2E/evil'),
  '1.0.0',
  'oci://registry.example.com/evil',
);
test(
  'dots in a name do not lead out of it',
  charts,
  registry,
  chart('../evil', { repoUrl: 'oci://registry.example.com/team' }),
  '1.0.0',
  'oci://registry.example.com/evil',
);
test(
  'a user in a URL does not hide the host',
  charts,
  registry,
  chart('oci://registry.example.com/team/x@evil.example.com/web'.replace('/team/x', ':443')),
  '1.0.0',
  'without a plain URL',
);
test(
  'a backslash is a slash',
  charts,
  registry,
  chart('oci://registry.example.com/team/..\\evil'),
  '1.0.0',
  'oci://registry.example.com/evil',
);
test(
  'a chart of a repository is allowed',
  charts,
  repository,
  chart('web', { repoUrl: 'https://charts.example.com/team/' }),
  '1.0.0',
);
test(
  'a slash in the name does not make another repository of it',
  charts,
  repository,
  chart('team/web', { repoUrl: 'https://charts.example.com' }),
  '1.0.0',
  'team%2Fweb',
);
test(
  'a query does not hide the path',
  charts,
  repository,
  chart('web', { repoUrl: 'https://evil.example.com?https://charts.example.com/team/' }),
  '1.0.0',
  'without a plain URL',
);
test(
  'plain HTTP is another reference',
  charts,
  repository,
  chart('http://charts.example.com/team/web.tgz'),
  '1.0.0',
  'http://',
);
test('a path of the agent is local', charts, 'charts: ["local:*"]', chart('team/web'), '1.0.0');
test(
  'an uploaded chart is not a local one',
  charts,
  'charts: ["local:*"]',
  chart('web', { chartUpload: digest }),
  '1.0.0',
  'upload:web',
);
test('manifests are no chart of a registry', charts, registry, { manifests: 'a: b' }, '1.0.0', 'charts: "manifests:"');
test('manifests can be allowed', charts, 'charts: ["manifests:"]', { manifests: 'a: b' }, '1.0.0');
test('an archive is an upload', charts, 'charts: ["upload:*"]', chart('oci://a/b', { chartArchive: 'aGk=' }), '1.0.0');
test(
  'an archive that is named as a URL is not from there',
  charts,
  registry,
  chart('oci://registry.example.com/team/web', { chartArchive: 'aGk=' }),
  '1.0.0',
  'upload:oci:',
);
test(
  'downloads of dependencies are refused where charts are limited',
  charts,
  registry,
  chart('oci://registry.example.com/team/web', { dependencyUpdate: true }),
  '1.0.0',
  'dependencyUpdate',
);
test('a version in the range is allowed', charts, "versions: '>=1.2 <2'", chart('a'), '1.3.0');
test(
  'a version outside of it is refused',
  charts,
  "versions: '>=1.2 <2'",
  chart('a'),
  '2.0.0',
  'versions: version 2.0.0',
);
test('a digest is required', charts, 'requireDigest: true', chart('oci://a/b'), '1.0.0', 'requireDigest');
test('the digest of a command is one', charts, 'requireDigest: true', chart('a', { chartDigest: digest }), '1.0.0');
test('the digest in a reference is one', charts, 'requireDigest: true', chart(`oci://a/b@sha256:${digest}`), '1.0.0');
test('half a digest is none', charts, 'requireDigest: true', chart('oci://a/b@sha256:aa'), '1.0.0', 'requireDigest');

interface Change {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  content?: object;
}

const objects = test.macro((t, rule: string, change: Change, refusal?: string) => {
  const { apiVersion = 'v1', kind = 'ConfigMap', namespace, content } = change;
  const policy = decide(policyOf(rule), scope(), { begins: noon });
  const message = refusalOf(t, () => policy.requireChange({ apiVersion, kind, namespace, name: 'x' }, content));
  if (refusal === undefined) t.is(message, undefined);
  else t.true(message?.includes(refusal), message);
});

const pods = (image: unknown, field = 'containers') => ({ spec: { template: { spec: { [field]: [{ image }] } } } });
const images = 'images: ["registry.example.com/*"]';

test('a kind of the list is allowed', objects, 'kinds: [ConfigMap]', {});
test('another kind is refused', objects, 'kinds: [ConfigMap]', { kind: 'Secret' }, 'kinds: Secret x');
test('a kind of a group is allowed', objects, 'kinds: [Deployment]', { apiVersion: 'apps/v1', kind: 'Deployment' });
test('a kind with its group is allowed', objects, 'kinds: [App.example.com]', {
  apiVersion: 'example.com/v1',
  kind: 'App',
});
test(
  'a kind alone does not allow a custom resource of that name',
  objects,
  'kinds: [Deployment]',
  { apiVersion: 'example.com/v1', kind: 'Deployment' },
  'kinds: ',
);
test(
  'a kind alone denies that of each group',
  objects,
  'deniedKinds: [Deployment]',
  { apiVersion: 'example.com/v1', kind: 'Deployment' },
  'deniedKinds: ',
);
test(
  'a denied kind beats the list',
  objects,
  "kinds: ['*'], deniedKinds: ['*.rbac.authorization.k8s.io']",
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
  },
  'deniedKinds: ',
);
test('an object in the namespace of the release is allowed', objects, 'objectNamespaces: [release]', {
  namespace: 'shop',
});
test(
  'an object in another one is refused',
  objects,
  'objectNamespaces: [release]',
  { namespace: 'kube-system' },
  'in kube-system',
);
test('an object in a listed one is allowed', objects, 'objectNamespaces: [release, monitoring]', {
  namespace: 'monitoring',
});
test(
  'a namespace that is named release is another one',
  objects,
  'objectNamespaces: [release]',
  { namespace: 'release' },
  'objectNamespaces: ',
);
test('an image of the list is allowed', objects, images, { content: pods('registry.example.com/web:1') });
test('another image is refused', objects, images, { content: pods('docker.io/web') }, 'images: "docker.io/web"');
test(
  'a field that is undefined hides no image',
  objects,
  images,
  {
    content: { ...pods('docker.io/web'), gone: undefined },
  },
  'images: "docker.io/web"',
);
test('the images of init containers count', objects, images, { content: pods('a', 'initContainers') }, 'images: ');
test(
  'the images of ephemeral containers count',
  objects,
  images,
  { content: pods('a', 'ephemeralContainers') },
  'images: ',
);
test(
  'the image of a volume counts',
  objects,
  images,
  { content: { volumes: [{ image: { reference: 'a' } }] } },
  'images: "a"',
);
test(
  'images in a List count',
  objects,
  images,
  { kind: 'List', content: { items: [{ items: [pods('a')] }] } },
  'images: ',
);
test('an image that is not a text is not one', objects, images, { content: pods(7) });

test('an object that is 100,000 levels deep is read', (t) => {
  let content: object = pods('a');
  for (let level = 0; level < 100_000; level++) content = { x: content };
  const policy = decide(policyOf(images), scope(), { begins: noon });
  t.throws(() => policy.requireChange({ apiVersion: 'v1', kind: 'X' }, content), { message: /images: "a"/ });
});

test('a policy of 1,000 rules decides in less than 5 ms', (t) => {
  const list = Array.from({ length: 1000 }, (_, index) => `  - { name: r${index}, namespaces: ["*a*b*c${index}"] }`);
  const policy = readPolicy(`rules:\n${list.join('\n')}\ndefault: allow\n`);
  const rounds = 20;
  const start = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) {
    decide(policy, scope({ namespace: 'a'.repeat(60) }), { begins: noon });
  }
  const { user, system } = process.threadCpuUsage(start);
  t.true((user + system) / 1000 / rounds < 5, 'of a processor, so that other work does not count');
});

test('a command of each type is decided on', (t) => {
  const policy = readPolicy('rules:\n  - { name: all, deny: closed }\ndefault: allow\n');
  for (const type of commandTable.types) {
    t.regex(refusalOf(t, () => decide(policy, scope({ type }), { begins: noon })) ?? '', /closed/, type);
  }
});

const upgrades = test.macro((t, rule: string, changes: Partial<PolicyScope>, refusal?: string) => {
  const message = refusalOf(t, () =>
    decide(policyOf(rule), scope({ type: 'upgrade_agent', ...changes }), { begins: noon }),
  );
  if (refusal === undefined) t.is(message, undefined);
  else t.true(message?.includes(refusal), message);
});

const agentChart = chartReferenceOf({ chartName: 'oci://registry.example.com/helm-agent' });
const agentImages = "commands: [upgrade_agent], images: ['registry.example.com/*']";
const agentRule = `${agentImages}, agentVersions: '>=1.4.0'`;
test('an agent is upgraded to an image by a rule with images', upgrades, agentRule, {});
test(
  'an agent is not upgraded by a rule without images',
  upgrades,
  'commands: [admin]',
  {},
  'needs a rule with images',
);
test(
  'an agent is not upgraded to a chart by a rule without charts',
  upgrades,
  agentRule,
  { chart: agentChart },
  'needs a rule with charts',
);
test(
  'an agent is upgraded to a chart by a rule with charts',
  upgrades,
  `${agentRule}, charts: ['oci://registry.example.com/*']`,
  {
    chart: agentChart,
  },
);
test(
  'an agent is not upgraded by a rule that allows all of its versions',
  upgrades,
  agentImages,
  {},
  'needs a rule with agentVersions',
);
test(
  'an agent is upgraded to exact images without a range of versions',
  upgrades,
  "commands: [upgrade_agent], images: ['registry.example.com/agent:nightly']",
  {},
);
const digestOfImage = `sha256:${'a'.repeat(64)}`;
test('an agent is upgraded to a version of the range', upgrades, agentRule, { payload: { imageTag: 'v1.4.0' } });
test(
  'an agent is not upgraded to the image of another, before anything is rendered',
  upgrades,
  agentRule,
  { payload: { imageRepository: 'evil.example.com/agent', imageTag: '1.4.0' } },
  'images: "evil.example.com/agent:1.4.0"',
);
const refusedVersions = {
  'an older version': { imageTag: '1.3.9' },
  'a version before its release': { imageTag: '1.4.0-rc.1' },
  'a tag that is not a version': { imageTag: 'latest' },
  'a digest': { imageDigest: digestOfImage },
  'a digest beside a version': { imageTag: '1.4.0', imageDigest: digestOfImage },
};
for (const [what, payload] of Object.entries(refusedVersions)) {
  test(`an agent is not upgraded to ${what}`, upgrades, agentRule, { payload }, 'agentVersions: the version of');
}
test(
  'an agent is upgraded to a digest that the rule names',
  upgrades,
  agentRule.replace("'registry", `'registry.example.com/agent@${digestOfImage}', 'registry`),
  { payload: { imageDigest: digestOfImage } },
);

const agentObjects = test.macro((t, image: string, refusal?: RegExp) => {
  const policy = decide(policyOf(agentRule), scope({ type: 'upgrade_agent' }), { begins: noon });
  const message = refusalOf(t, () => policy.requireChange({ apiVersion: 'apps/v1', kind: 'Deployment' }, pods(image)));
  if (refusal === undefined) t.is(message, undefined);
  else t.regex(message ?? '', refusal);
});
test('the image of an agent may have a version of the range', agentObjects, 'registry.example.com/agent:1.4.0');
for (const tag of ['1.3.9', 'latest', `1.4.0@${digestOfImage}`]) {
  const title = `the image of an agent may not end with :${tag}`;
  test(title, agentObjects, `registry.example.com/agent:${tag}`, /agentVersions: the version of the image/);
}
test('an image without a tag has no version', agentObjects, 'registry.example.com:443/agent', /agentVersions: /);
test('a version does not allow the image of another', agentObjects, 'evil.example.com/agent:1.4.0', /images: /);

test('an agent is not upgraded to an older version of its chart', (t) => {
  const rule = `${agentRule}, charts: ['oci://registry.example.com/*']`;
  const policy = decide(policyOf(rule), scope({ type: 'upgrade_agent', chart: agentChart }), { begins: noon });
  t.notThrows(() => policy.requireChart({ reference: agentChart, version: '1.4.0' }));
  const old = refusalOf(t, () => policy.requireChart({ reference: agentChart, version: '1.3.0' }));
  t.regex(old ?? '', /agentVersions: version 1\.3\.0 of the chart is not in >=1\.4\.0/);
});

test('agentVersions do not limit other commands', (t) => {
  const policy = decide(policyOf("agentVersions: '>=1.4.0'"), scope(), { begins: noon });
  t.notThrows(() => policy.requireChange({ apiVersion: 'v1', kind: 'Pod' }, pods('registry.example.com/agent:1.0.0')));
  t.notThrows(() => policy.requireChart({ version: '1.0.0' }));
});

for (const payload of [{ values: {} }, { set: [{ kind: 'set', text: 'policy.content=' }] }]) {
  const [field = ''] = Object.keys(payload);
  test(
    `the ${field} of an agent with a policy are not changed`,
    upgrades,
    agentRule,
    { payload },
    'those of its owner',
  );
}
test('an agent is not upgraded by default: allow', (t) => {
  const policy = readPolicy('rules: []\ndefault: allow\n');
  const message = refusalOf(t, () => decide(policy, scope({ type: 'upgrade_agent' }), { begins: noon }));
  t.regex(message ?? '', /needs a rule with images/);
});

const reads = test.macro((t, rule: string, [apiVersion, kind]: [string, string], refusal?: string) => {
  const limits = decide(policyOf(rule), scope({ type: 'get_object', changes: false }), { begins: noon });
  const message = refusalOf(t, () => limits.requireRead({ apiVersion, kind }));
  if (refusal === undefined) t.is(message, undefined);
  else t.true(message?.includes(refusal), message);
});

test('a kind that may be read', reads, 'readKinds: [Pod, Deployment]', ['apps/v1', 'Deployment']);
test('a kind that may not be read', reads, 'readKinds: [Pod]', ['v1', 'Secret'], 'readKinds: Secret');
test('a kind alone is not that of another group', reads, 'readKinds: [Pod]', ['x.example/v1', 'Pod'], 'readKinds: Pod');
test('logs are not read with pods', reads, 'readKinds: [Pod]', ['v1', 'Pod/log'], 'readKinds: Pod/log');
test('logs may be read', reads, 'readKinds: [Pod, Pod/log]', ['v1', 'Pod/log']);
test('a shell is denied', reads, 'deniedReadKinds: [Pod/exec]', ['v1', 'Pod/exec'], 'deniedReadKinds: Pod/exec');
test('a kind that is denied', reads, 'deniedReadKinds: [Secret]', ['v1', 'Secret'], 'deniedReadKinds: Secret');
test('a kind alone is denied in each group', reads, 'deniedReadKinds: [Secret]', ['x.example/v1', 'Secret'], 'denied');
test('a kind that is not denied', reads, 'deniedReadKinds: [Secret]', ['v1', 'ConfigMap']);

const values = test.macro((t, rule: string, payload: object, refusal?: string, type = 'install_release') => {
  const decision = () => decide(policyOf(rule), scope({ type: type as 'install_release', payload }), { begins: noon });
  const message = refusalOf(t, decision);
  if (refusal === undefined) t.is(message, undefined);
  else t.true(message?.endsWith(`does not allow it: valuesFrom: ${refusal}`), message);
});

const fromDb = [
  { kind: 'ConfigMap', name: 'web' },
  { kind: 'Secret', name: 'web-db' },
];
test('values of objects that may give them', values, 'valuesFrom: [ConfigMap/*, Secret/web-*]', { valuesFrom: fromDb });
test('values of another object', values, 'valuesFrom: [ConfigMap/*]', { valuesFrom: fromDb }, 'Secret/web-db');
test(
  'values of the cluster where none may give any',
  values,
  'valuesFrom: []',
  { valuesFrom: fromDb },
  'ConfigMap/web',
);
test('no values of the cluster', values, 'valuesFrom: []', {});

test('a plan has no values that the command itself may not have', (t) => {
  const policy = readPolicy(`rules:
  - { name: reading, commands: [read] }
  - { name: installing, commands: [install_release], valuesFrom: [ConfigMap/*] }
  - { name: others }
default: deny
`);
  const planOf = (action: string) => () =>
    decide(
      policy,
      scope({ type: 'plan_release', payload: { action, valuesFrom: fromDb }, changes: false, right: 'read' }),
      {
        begins: noon,
      },
    );
  t.regex(refusalOf(t, planOf('install')) ?? '', /rule installing .* valuesFrom: Secret\/web-db$/);
  t.is(refusalOf(t, planOf('upgrade')), undefined);
});
