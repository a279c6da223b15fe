import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { CommandParameters } from '../../src/control-plane/index.ts';
import { crashWorld, kill } from './support/crash-world.ts';
import { chart, grant, greedy, mapped, ownRequest, rbac, release, rightsWorld } from './support/rights-world.ts';
import { agentId, answerOf, failureOf, waiting } from './support/world.ts';

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
