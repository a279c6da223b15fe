import test, { type ExecutionContext } from 'ava';
import type { CommandParameters } from '../../src/control-plane/index.ts';
import { rights } from '../../src/protocol/commands/definition.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld, type World } from './support/world.ts';

const token = Buffer.from('AGENT-TOKEN-4711').toString('base64');
const starting = startWorld({ journal: 'cluster', lookup: 'all', allowedRights: rights }).then(async (world) => {
  await addSecret(world);
  return world;
});
test.after.always(async () => (await starting).close());

/** In the sandbox, the namespace of the agent is `default`. */
const own = 'default';
const forbidden =
  'commands may not access the namespace "default" of the agent, which has its credentials and its journal; use another namespace, or start the agent with --allow-own-namespace';

async function addSecret({ cluster }: World): Promise<void> {
  const metadata = { name: 'helm-agent-token', namespace: own };
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { token } });
}

async function chart(template: string): Promise<CommandParameters['template_release']> {
  const archive = await packedApp({ 'a.yaml': template });
  const name = { releaseName: 'app', namespace: 'shop', chartName: 'app' };
  return { ...name, chartArchive: archive.toString('base64') };
}

const configMap = (namespace: string, annotations = '{}') =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: ${namespace}, annotations: ${annotations}}}\n`;

async function isForbidden(
  t: ExecutionContext,
  command: Parameters<typeof failureOf>[0],
  what: string,
  expected = 'forbidden',
): Promise<void> {
  const { code, message } = await failureOf(command);
  t.is(code, expected, what);
  t.true(message.includes(forbidden), `${what}: ${message}`);
  t.false(message.includes(token));
}

for (const [what, lookup] of Object.entries({
  'all Secrets of the namespace': `lookup "v1" "Secret" "${own}" ""`,
  'one Secret': `lookup "v1" "Secret" "${own}" "helm-agent-token"`,
  'a ServiceAccount': `lookup "v1" "ServiceAccount" "${own}" "default"`,
})) {
  test(`lookup fails for ${what} of the agent`, async (t) => {
    const { plane } = await starting;
    const quoting = await chart(`# {{ ${lookup} | toJson }}\n`);
    await isForbidden(t, plane.template(agentId, quoting), 'template');
    await isForbidden(t, plane.install(agentId, { ...quoting, dryRun: 'server' }), 'dry run');
    await isForbidden(t, plane.install(agentId, quoting), 'install');
  });
}

test('lookup over all namespaces leaves out the objects of the agent', async (t) => {
  const { plane, cluster } = await starting;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'seen', namespace: 'other' } });
  const listing = await chart(
    '# {{ range (lookup "v1" "Secret" "" "").items }}{{ .metadata.namespace }}/{{ .metadata.name }} {{ end }}\n',
  );
  const { manifest } = await answerOf(plane.template(agentId, listing));
  t.true(manifest.includes('other/seen'));
  t.false(manifest.includes(`${own}/`));
});

test('no command reads or changes releases in the namespace of the agent', async (t) => {
  const { plane, cluster } = await starting;
  const release = { releaseName: 'app', namespace: own };
  const deployed = { ...(await chart(configMap(own))), ...release };
  const commands = {
    install: () => plane.install(agentId, deployed),
    upgrade: () => plane.upgrade(agentId, deployed),
    rollback: () => plane.rollback(agentId, release),
    uninstall: () => plane.uninstall(agentId, release),
    test: () => plane.test(agentId, release),
    get: () => plane.get(agentId, release),
    status: () => plane.status(agentId, release),
    history: () => plane.history(agentId, release),
    list: () => plane.list(agentId, { namespace: own }),
    watch: () => plane.watch(agentId, release),
    diff: () => plane.diff(agentId, deployed),
    plan: () => plane.plan(agentId, { action: 'install', ...deployed }),
    adopt: () => plane.adopt(agentId, { ...release, tillerNamespace: own }),
    'list of Helm 2': () => plane.list(agentId, { helm2: true, tillerNamespace: own }),
    'apply manifests': () =>
      plane.applyManifests(agentId, { releaseName: 'set', namespace: own, manifests: configMap(own) }),
    'delete manifests': () => plane.deleteManifests(agentId, { releaseName: 'set', namespace: own }),
    'apply an object of another namespace': () =>
      plane.applyManifests(agentId, { releaseName: 'set', namespace: 'shop', manifests: configMap(own) }),
    'get its token': () =>
      plane.getObject(agentId, { kind: 'Secret', apiVersion: 'v1', namespace: own, name: 'helm-agent-token' }),
    'list its Secrets': () => plane.listObjects(agentId, { kind: 'Secret', apiVersion: 'v1', namespace: own }),
    describe: () =>
      plane.describeObject(agentId, { kind: 'Secret', apiVersion: 'v1', namespace: own, name: 'helm-agent-token' }),
    events: () => plane.listEvents(agentId, { namespace: own }),
    restart: () => plane.restartWorkload(agentId, { namespace: own, kind: 'Deployment', name: 'helm-agent' }),
    scale: () => plane.scaleWorkload(agentId, { namespace: own, kind: 'Deployment', name: 'helm-agent', replicas: 0 }),
    'delete a pod': () => plane.deletePod(agentId, { namespace: own, name: 'helm-agent-0' }),
    'stop its release': () => plane.stopRelease(agentId, release),
    deploymentInfo: () => plane.deploymentInfo(agentId, { namespace: own, deploymentName: 'helm-agent' }),
  };
  for (const [what, send] of Object.entries(commands)) await isForbidden(t, send(), what);
  t.is(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: own, name: 'x' }), undefined);
});

test('a release of another namespace has no objects and hooks in that of the agent', async (t) => {
  const { plane, cluster } = await starting;
  const cases = {
    object: configMap(own),
    'object of a list': `{apiVersion: v1, kind: List, items: [${configMap(own).trim()}]}\n`,
    hook: configMap(own, '{helm.sh/hook: pre-install}'),
    'Namespace of the agent': `{apiVersion: v1, kind: Namespace, metadata: {name: ${own}, labels: {a: b}}}\n`,
    'hook that replaces its Namespace': `{apiVersion: v1, kind: Namespace, metadata: {name: ${own}, annotations: {helm.sh/hook: pre-install}}}\n`,
  };
  for (const [what, template] of Object.entries(cases)) {
    const release = { ...(await chart(template)), releaseName: `with-${what.toLowerCase().replaceAll(' ', '-')}` };
    // the Namespace may be read, so that its change is refused
    const code = what.includes('Namespace') ? (what.startsWith('hook') ? 'hook_failed' : 'apply_failed') : 'forbidden';
    await isForbidden(t, plane.install(agentId, { ...release, takeOwnership: true }), what, code);
  }
  t.is(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: own, name: 'x' }), undefined);
  const namespace = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: own });
  t.is(namespace?.metadata.labels?.['a'], undefined);
});

test('no command changes the rights of the agent, wherever they are', async (t) => {
  const { plane, cluster } = await starting;
  const rbac = 'rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const ownSubjects = [{ kind: 'ServiceAccount', name: 'helm-agent', namespace: own }];
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: 'agent' }, roleRef };
  await cluster.create({ ...binding, subjects: ownSubjects });
  const annotations = { 'meta.helm.sh/release-name': 'helm-agent', 'meta.helm.sh/release-namespace': own };
  const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'agent-role' }, rules: [] };
  await cluster.create({ ...role, metadata: { ...role.metadata, annotations } });
  const others = [{ kind: 'ServiceAccount', name: 'x', namespace: 'shop' }];
  const changes = {
    'its binding': { ...binding, subjects: others },
    'a new binding': { ...binding, metadata: { name: 'new' }, subjects: ownSubjects },
    'a binding of all its accounts': {
      ...{ ...binding, metadata: { name: 'group' } },
      subjects: [{ kind: 'Group', apiGroup: roleRef.apiGroup, name: `system:serviceaccounts:${own}` }],
    },
    'a role of its release': role,
  };
  for (const [what, object] of Object.entries(changes)) {
    const archive = await packedApp({ 'a.yaml': JSON.stringify(object) });
    const release = { releaseName: what.replaceAll(' ', '-'), namespace: 'shop', chartName: 'app' };
    const command = { ...release, takeOwnership: true, chartArchive: archive.toString('base64') };
    await isForbidden(t, plane.install(agentId, command), what, 'apply_failed');

    const set = {
      releaseName: release.releaseName,
      namespace: 'shop',
      manifests: JSON.stringify(object),
      takeOwnership: true,
    };
    await isForbidden(t, plane.applyManifests(agentId, set), what, 'apply_failed');
  }
  const kept = await cluster.get({ apiVersion: rbac, kind: 'ClusterRoleBinding', name: 'agent' });
  t.like(kept, { subjects: ownSubjects });
  const foreign = { ...binding, metadata: { name: 'foreign' }, subjects: others };
  const archive = await packedApp({ 'a.yaml': JSON.stringify(foreign) });
  const release = { releaseName: 'foreign', namespace: 'shop', chartName: 'app' };
  await answerOf(plane.install(agentId, { ...release, chartArchive: archive.toString('base64') }));
  await answerOf(plane.uninstall(agentId, { releaseName: 'foreign', namespace: 'shop' }));
});

test('the agent itself, and commands for other namespaces, are not restricted', async (t) => {
  const { plane, cluster } = await starting;
  const release = { ...(await chart(configMap('shop'))), releaseName: 'free' };
  await answerOf(plane.install(agentId, release));
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {
      namespace: own,
      name: 'sh.helm.release.v1.own.v1',
      labels: { owner: 'helm', name: 'own', version: '1' },
    },
  });
  const { releases, unreadable } = await answerOf(plane.list(agentId, {}));
  t.true(releases.some(({ name }) => name === 'free'));
  t.is(unreadable, undefined, 'releases in the namespace of the agent are not read');
  const secrets = await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: own });
  t.true(secrets.some(({ metadata }) => metadata.labels?.['helm-agent/journal'] !== undefined));
});

test('with --allow-own-namespace, and without anything of the agent there, commands use the namespace', async (t) => {
  for (const setup of [{ journal: 'cluster', allowOwnNamespace: true }, { journal: 'memory' }] as const) {
    const world = await startWorld({ ...setup, lookup: 'all' });
    try {
      await addSecret(world);
      const lookup = await chart(`# {{ (lookup "v1" "Secret" "${own}" "helm-agent-token").data | toJson }}\n`);
      t.true((await answerOf(world.plane.template(agentId, lookup))).manifest.includes(token));
      const release = { ...(await chart(configMap(own))), namespace: own };
      await answerOf(world.plane.install(agentId, release));
      await answerOf(world.plane.uninstall(agentId, { namespace: own, releaseName: 'app' }));
    } finally {
      await world.close();
    }
  }
});
