import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { CommandParameters } from '../../src/control-plane/index.ts';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { crashWorld, kill } from './support/crash-world.ts';
import { type FaultyWorld, faultyWorld } from './support/faulty-world.ts';
import { agentId, answerOf, failureOf, waiting } from './support/world.ts';

const templates = {
  'objects.yaml': `apiVersion: v1
kind: ConfigMap
metadata: { name: config }
data:
  own: {{ lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt" | len | quote }}
  all: {{ (lookup "v1" "Pod" .Release.Namespace "").items | len | quote }}
  value: {{ .Values.value | quote }}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }, annotations: { value: {{ .Values.value | quote }} } }
    spec: { containers: [{ name: web, image: nginx }] }
`,
  'hooks.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: before
  annotations: { helm.sh/hook: "pre-install,pre-upgrade,pre-rollback,pre-delete", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded" }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: busybox, command: ["true"] }] } } }
---
apiVersion: v1
kind: Pod
metadata: { name: check, annotations: { helm.sh/hook: test } }
spec: { restartPolicy: Never, containers: [{ name: a, image: busybox, command: ["true"] }] }
`,
};

function writeChart(folder: string, name: string, files: Record<string, string>): void {
  const chart = join(folder, name);
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
  writeFileSync(join(chart, 'values.yaml'), 'value: one\n');
  for (const [file, text] of Object.entries(files)) writeFileSync(join(chart, 'templates', file), text);
}

const configMap = (metadata: string) => `{apiVersion: v1, kind: ConfigMap, metadata: ${metadata}}\n`;

/** Charts that reach for more than their own namespace. */
const greedy = {
  'binds-cluster-role': `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: everything }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: deployer, namespace: shop }]
`,
  'looks-elsewhere': `# {{ lookup "v1" "Secret" "other" "" }}\n`,
  'looks-everywhere': `# {{ lookup "v1" "Secret" "" "" }}\n`,
  'writes-elsewhere': configMap('{name: x, namespace: other}'),
  'hook-elsewhere': configMap('{name: x, namespace: other, annotations: {helm.sh/hook: pre-install}}'),
};

const rbac = 'rbac.authorization.k8s.io/v1';

const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];

async function grant(cluster: KubeCluster, account: string, namespace: string, rules = everything): Promise<void> {
  const [own = '', name = ''] = account.split('/');
  const metadata = { name: `${own}-${name}`, namespace };
  await cluster.create({ apiVersion: rbac, kind: 'Role', metadata, rules });
  const subjects = [{ kind: 'ServiceAccount', name, namespace: own }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
  await cluster.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, subjects, roleRef });
}

interface RightsWorld extends FaultyWorld {
  file: string;
}

async function rightsWorld(t: ExecutionContext, rules: string): Promise<RightsWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'rights-world-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rights.yaml');
  writeFileSync(file, rules);
  const world = await faultyWorld(t, {
    random: () => 0.5,
    setup: { rightsFile: file, lookup: 'all' },
    writeCharts(charts) {
      writeChart(charts, 'app', templates);
      for (const [name, text] of Object.entries(greedy)) writeChart(charts, name, { 'a.yaml': text });
      return Promise.resolve();
    },
  });
  for (const name of ['shop', 'other']) {
    await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await grant(world.cluster, `${name}/deployer`, name);
  }
  return { ...world, file };
}

/** The requests that the agent sends as itself: the journal, and the probe of the API server. */
const ownRequest = /^[A-Z]+ (?:\/version$|\/api\/v1\/namespaces\/default\/secrets(?:\/helm-agent\.|\?|$))/;

const release = { namespace: 'shop', releaseName: 'web' };
const chart = { ...release, chartName: 'app' };
const mapped = 'rules: [{ account: deployer, namespaces: [shop, other] }]\ndefault: none\n';

test('every request of every command carries the service account of the command', async (t) => {
  const { plane, api, cluster } = await rightsWorld(t, mapped);
  const commands: Record<string, () => Parameters<typeof answerOf>[0]> = {
    template: () => plane.template(agentId, chart),
    plan: () => plane.plan(agentId, { action: 'install', ...chart, createNamespace: false }),
    install: () => plane.install(agentId, { ...chart, createNamespace: false, logs: true }),
    upgrade: () => plane.upgrade(agentId, { ...chart, values: 'value: two', logs: true }),
    'client-side upgrade': () => plane.upgrade(agentId, { ...chart, values: 'value: three', serverSide: false }),
    diff: () => plane.diff(agentId, { ...chart, values: 'value: four' }),
    'dry run': () => plane.upgrade(agentId, { ...chart, dryRun: 'server' }),
    rollback: () => plane.rollback(agentId, release),
    test: () => plane.test(agentId, { ...release, logs: true }),
    get: () => plane.get(agentId, release),
    history: () => plane.history(agentId, release),
    status: () => plane.status(agentId, release),
    watch: () => plane.watch(agentId, { ...release, timeout: '1s' }),
    list: () => plane.list(agentId, { namespace: 'shop' }),
    deploymentInfo: () => plane.deploymentInfo(agentId, { namespace: 'shop', deploymentName: 'web' }),
    uninstall: () => plane.uninstall(agentId, release),
  };
  const user = 'system:serviceaccount:shop:deployer';
  for (const [name, send] of Object.entries(commands)) {
    const before = api.requests.length;
    const result = await send().result;
    t.true(result.ok, `${name}: ${JSON.stringify(result)}`);
    const sent = api.requests.map((request, index) => ({ request, user: api.users[index] })).slice(before);
    const others = sent.filter((one) => one.user !== user && !ownRequest.test(one.request));
    t.deepEqual(others, [], name);
    if (name !== 'watch')
      t.true(
        sent.some((one) => one.user === user),
        `${name} sends requests`,
      );
    const ofJournal = sent.filter((one) => one.user === user && one.request.includes('/namespaces/default/'));
    t.deepEqual(ofJournal, [], `${name}: an account reaches for the namespace of the agent`);
  }
  t.deepEqual(
    await cluster.list({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'shop',
      labelSelector: 'app.kubernetes.io/managed-by=Helm',
    }),
    [],
  );
});

test('a chart of a tenant gets no further than its service account', async (t) => {
  const { plane, cluster } = await rightsWorld(t, mapped);
  for (const chartName of Object.keys(greedy)) {
    const { code, message } = await failureOf(
      plane.install(agentId, {
        namespace: 'shop',
        releaseName: chartName,
        chartName,
        createNamespace: false,
        atomic: false,
      }),
    );
    t.true(['forbidden', 'hook_failed', 'apply_failed', 'render_failed'].includes(code), `${chartName}: ${code}`);
    t.regex(message, /system:serviceaccount:shop:deployer|shop\/deployer/, chartName);
  }
  t.is(await cluster.get({ apiVersion: rbac, kind: 'ClusterRoleBinding', name: 'everything' }), undefined);
  t.is(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'other', name: 'x' }), undefined);
});

test('a command whose account lacks rights changes nothing, and says which rights', async (t) => {
  const { plane, cluster, api } = await rightsWorld(t, 'rules: []\ndefault: limited\n');
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poor' } });
  await grant(cluster, 'poor/limited', 'poor', [
    { apiGroups: [''], resources: ['secrets', 'configmaps', 'pods', 'namespaces'], verbs: ['*'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch', 'patch'] },
  ]);
  const before = api.requests.length;
  const install = { ...chart, namespace: 'poor' };
  const { code, message } = await failureOf(plane.install(agentId, install));
  t.is(code, 'forbidden');
  t.is(
    message,
    'the service account poor/limited lacks rights, so nothing was changed: create deployments.apps in the namespace poor; create jobs.batch in the namespace poor; helm-agent rights prints roles with them',
  );
  const ofAccount = api.requests.filter((_, index) => index >= before && api.users[index] !== '');
  const writes = ofAccount.filter((request) => !/^(?:GET|WATCH) |^POST \/apis\/authorization/.test(request));
  t.deepEqual(writes, []);
  t.is(
    ofAccount.filter((request) => request.includes('authorization')).length,
    3,
    'one for the rules, two that confirm',
  );

  const bound = { namespace: 'shop', releaseName: 'b', chartName: 'binds-cluster-role' };
  await grant(cluster, 'shop/limited', 'shop');
  t.regex(
    (await failureOf(plane.install(agentId, bound))).message,
    /changed: (?:get [^;]*; )?create clusterrolebindings\.rbac\.authorization\.k8s\.io in the whole cluster/,
  );
  t.regex((await failureOf(plane.plan(agentId, { action: 'install', ...bound }))).code, /forbidden/);
  const labelSelector = 'owner=helm';
  t.deepEqual(await cluster.list({ apiVersion: 'v1', kind: 'Secret', labelSelector }), []);
});

test('an uninstallation and tests whose account lacks rights change nothing, and say which rights', async (t) => {
  const { plane, cluster, api, file } = await rightsWorld(t, mapped);
  await answerOf(plane.install(agentId, { ...chart, createNamespace: false }));
  const records = async () =>
    (await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', labelSelector: 'owner=helm' })).map(
      ({ metadata }) => metadata.resourceVersion,
    );
  const installed = await records();
  await grant(cluster, 'shop/reader', 'shop', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['update', 'delete'] },
  ]);
  writeFileSync(file, 'rules: []\ndefault: reader\n');
  const before = api.requests.length;
  for (const [command, lacking] of [
    [
      plane.uninstall(agentId, release),
      'delete deployments.apps in the namespace shop; create jobs.batch in the namespace shop',
    ],
    [plane.uninstall(agentId, { ...release, noHooks: true }), 'delete deployments.apps in the namespace shop'],
    [
      plane.plan(agentId, { action: 'uninstall', ...release, noHooks: true }),
      'delete deployments.apps in the namespace shop',
    ],
    [plane.test(agentId, release), 'create pods in the namespace shop'],
  ] as const) {
    const { code, message } = await failureOf(command);
    t.is(code, 'forbidden');
    t.is(
      message,
      `the service account shop/reader lacks rights, so nothing was changed: ${lacking}; helm-agent rights prints roles with them`,
    );
  }
  const ofAccount = api.requests.filter((_, index) => index >= before && api.users[index] !== '');
  t.deepEqual(
    ofAccount.filter((request) => !/^(?:GET|WATCH) |^POST \/apis\/authorization/.test(request)),
    [],
  );
  t.deepEqual(await records(), installed);
  // tests that the filters leave out need no rights
  t.true((await answerOf(plane.test(agentId, { ...release, exclude: ['check'] }))).passed);

  writeFileSync(file, mapped);
  await answerOf(plane.uninstall(agentId, release));
  t.deepEqual(await records(), []);
});

test('a plan says which rights an uninstallation needs', async (t) => {
  const { plane } = await rightsWorld(t, mapped);
  await answerOf(plane.install(agentId, { ...chart, createNamespace: false }));
  const { rights } = await answerOf(plane.plan(agentId, { action: 'uninstall', ...release, keepHistory: true }));
  t.deepEqual(rights, [
    { group: '', resource: 'secrets', namespace: 'shop', verbs: ['update'] },
    { group: 'apps', resource: 'deployments', namespace: 'shop', verbs: ['get', 'delete'] },
    { group: '', resource: 'configmaps', namespace: 'shop', verbs: ['get', 'delete'] },
    { group: 'batch', resource: 'jobs', namespace: 'shop', verbs: ['create'] },
  ]);
});

test('a plan says which rights its operation needs', async (t) => {
  const { plane } = await rightsWorld(t, mapped);
  const { rights } = await answerOf(plane.plan(agentId, { action: 'install', ...chart, createNamespace: false }));
  t.deepEqual(rights, [
    { group: '', resource: 'secrets', namespace: 'shop', verbs: ['create', 'update'] },
    { group: '', resource: 'configmaps', namespace: 'shop', verbs: ['get', 'create', 'patch'] },
    { group: 'apps', resource: 'deployments', namespace: 'shop', verbs: ['get', 'create', 'patch'] },
    { group: 'batch', resource: 'jobs', namespace: 'shop', verbs: ['create'] },
  ]);
});

test('a command of one account sees nothing that another account has read', async (t) => {
  const { plane, cluster, file, api } = await rightsWorld(t, mapped);
  await answerOf(plane.install(agentId, { ...chart, createNamespace: false }));
  await answerOf(plane.status(agentId, release));
  // the watches of the first account continue for some seconds, and its caches are warm
  writeFileSync(file, 'rules: []\ndefault: other/deployer\n');
  const reads = {
    status: () => plane.status(agentId, release),
    get: () => plane.get(agentId, release),
    history: () => plane.history(agentId, release),
    watch: () => plane.watch(agentId, { ...release, timeout: '1s' }),
    list: () => plane.list(agentId, { namespace: 'shop' }),
    'list of all': () => plane.list(agentId, {}),
    upgrade: () => plane.upgrade(agentId, chart),
    uninstall: () => plane.uninstall(agentId, release),
    deploymentInfo: () => plane.deploymentInfo(agentId, { namespace: 'shop', deploymentName: 'web' }),
  };
  for (const [name, send] of Object.entries(reads)) {
    const before = api.users.length;
    t.like(await failureOf(send()), { code: 'forbidden' }, name);
    t.false(api.users.slice(before).includes('system:serviceaccount:shop:deployer'), name);
  }
  t.truthy(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'config' }));
});

test('a plan is performed only as the service account that has made it', async (t) => {
  const { plane, file } = await rightsWorld(t, mapped);
  const { plan } = await answerOf(plane.plan(agentId, { action: 'install', ...chart, createNamespace: false }));
  writeFileSync(file, 'rules: [{ commands: [apply_plan], account: other/deployer }]\ndefault: deployer\n');
  const { code, message } = await failureOf(plane.applyPlan(agentId, { plan }));
  t.is(code, 'forbidden');
  t.regex(message, /shop\/deployer.*other\/deployer/);
  writeFileSync(file, mapped);
  await answerOf(plane.applyPlan(agentId, { plan }));
});

test('without an account a command is refused, and nothing is sent', async (t) => {
  const { plane, api, file } = await rightsWorld(t, mapped);
  const before = api.requests.length;
  const payload: CommandParameters['install_release'] = { ...chart, namespace: 'kube-system' };
  t.like(await failureOf(plane.install(agentId, payload)), { code: 'forbidden' });
  t.like(await failureOf(plane.list(agentId, {})), { code: 'forbidden' });
  writeFileSync(file, 'rules: [\n');
  const { code, message } = await failureOf(plane.status(agentId, release));
  t.is(code, 'rights_file_invalid');
  t.regex(message, /line 1/);
  t.deepEqual(
    api.requests.slice(before).filter((request) => !ownRequest.test(request)),
    [],
  );
  writeFileSync(file, mapped);
  t.like(await failureOf(plane.status(agentId, release)), { code: 'release_not_found' });
});

test('a command that is continued after SIGKILL keeps its account, or is refused if no rule names it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rights-resumed-'));
  const file = join(folder, 'rights.yaml');
  writeFileSync(file, 'rules: [{ account: deployer, namespaces: [shop, gone] }]\ndefault: none\n');
  const world = await crashWorld({ args: ['--rights-file', file] });
  t.teardown(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });
  const { plane, cluster } = world;
  for (const name of ['shop', 'gone']) {
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await grant(cluster, `${name}/deployer`, name);
  }
  const first = await world.start();
  const slow = { releaseName: 'web', chartName: 'web', createNamespace: false, values: 'args: [serve, -after, 20s]' };
  const [kept, refused] = ['shop', 'gone'].map((namespace) => plane.install(agentId, { ...slow, namespace }));
  if (kept === undefined || refused === undefined) throw new Error('two commands');
  await Promise.all([waiting(kept), waiting(refused)]);
  await kill(world, first);
  // another account for the same command, without rights; `deployer` remains for other callers
  writeFileSync(
    file,
    'rules: [{ account: other, commands: [install_release] }, { account: deployer, namespaces: [shop], callers: [ci] }, { account: shop/deployer }]\ndefault: none\n',
  );
  await world.start();
  const { release: installed } = await answerOf(kept);
  t.is(installed.info.status, 'deployed');
  const { code, message } = await failureOf(refused);
  t.is(code, 'forbidden');
  t.regex(message, /gone\/deployer, which the rights file does not name for it any more/);
  const secrets = await cluster.list({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'gone',
    labelSelector: 'owner=helm',
  });
  t.deepEqual(
    secrets.map(({ metadata }) => metadata.labels?.['status']),
    ['pending-install'],
    'it is left as it is',
  );
});
