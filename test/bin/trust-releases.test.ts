import test, { type ExecutionContext } from 'ava';
import { agentOf } from '../../src/compose/agent-of.ts';
import type { CommandParameters } from '../../src/control-plane/index.ts';
import { decodeRelease, encodeRelease } from '../../src/release/codec.ts';
import type { Hook } from '../../src/release/hook.ts';
import type { Release } from '../../src/release/release.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { recordingLog } from '../agent/support/log.ts';
import { realHost } from '../support/host.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld, type World } from './support/world.ts';

const strict = startWorld({ journal: 'cluster', trustReleases: 'own' });
const open = startWorld({ journal: 'cluster' });
test.after.always(async () => {
  await Promise.all([strict, open].map(async (world) => (await world).close()));
});

const secret = { apiVersion: 'v1', kind: 'Secret' };
const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' };

/** Returns an object that a tenant has no right to create, unlike the agent. */
function bindingManifest(name: string): string {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: 'tenant' }];
  return JSON.stringify({ ...binding, metadata: { name }, roleRef, subjects });
}

function hookOf(name: string): Hook {
  const events = ['test', 'pre-delete', 'post-delete', 'pre-rollback', 'post-rollback', 'pre-upgrade'];
  return {
    name,
    kind: binding.kind,
    path: 'app/templates/h.yaml',
    manifest: bindingManifest(name),
    events,
    last_run: { phase: '' },
  };
}

async function chart(
  namespace: string,
  extra: Record<string, string> = {},
): Promise<CommandParameters['install_release']> {
  const archive = await packedApp({
    'cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {a: "{{ .Values.a }}"}\n',
    'hook.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own-hook, annotations: {helm.sh/hook: "test,pre-delete,pre-rollback"}}\n',
    ...extra,
  });
  return {
    releaseName: 'web',
    namespace,
    chartName: 'app',
    chartArchive: archive.toString('base64'),
    createNamespace: true,
  };
}

/** Changes a stored revision, as a tenant can who writes Secrets in its namespace. */
async function forge({ cluster }: World, namespace: string, version: number, change: (release: Release) => Release) {
  const ref = { ...secret, namespace, name: `sh.helm.release.v1.web.v${version}` };
  const stored = await cluster.get(ref);
  if (stored === undefined) throw new Error(`there is no revision ${version}`);
  const { release } = stored['data'] as { release: string };
  const forged = await encodeRelease(change(await decodeRelease(Buffer.from(release, 'base64').toString())));
  await cluster.replace({ ...stored, data: { release: Buffer.from(forged).toString('base64') } });
}

const withHook = (name: string) => (release: Release) => ({ ...release, hooks: [hookOf(name)] });
const exists = async ({ cluster }: World, name: string) => (await cluster.get({ ...binding, name })) !== undefined;
const signatureOf = async ({ cluster }: World, namespace: string, version: number) =>
  (await cluster.get({ ...secret, namespace, name: `sh.helm.release.v1.web.v${version}` }))?.metadata.annotations?.[
    'helm-agent/signature'
  ];
/** Returns the stored revisions as text, to see that nothing has changed. */
async function records({ cluster }: World, namespace: string): Promise<string> {
  return JSON.stringify(await cluster.list({ ...secret, namespace, labelSelector: 'owner=helm' }));
}

async function isRefused(
  t: ExecutionContext,
  world: World,
  namespace: string,
  command: Parameters<typeof failureOf>[0],
) {
  const before = await records(world, namespace);
  const { code, message } = await failureOf(command);
  t.is(code, 'release_not_trusted', message);
  t.regex(message, /the agent has not written revision \d of release web as it is stored, .*--trust-releases any$/);
  t.is(await records(world, namespace), before, 'nothing has changed');
}

test('a whole life of a release with hooks is trusted, because the agent wrote all of it', async (t) => {
  const world = await strict;
  const { plane } = world;
  const one = await chart('life');
  await answerOf(plane.install(agentId, { ...one, values: { a: 1 } }));
  await answerOf(plane.test(agentId, { releaseName: 'web', namespace: 'life' }));
  await answerOf(plane.upgrade(agentId, { ...one, values: { a: 2 } }));
  await answerOf(plane.rollback(agentId, { releaseName: 'web', namespace: 'life', version: 1 }));
  for (const version of [1, 2, 3]) t.regex((await signatureOf(world, 'life', version)) ?? '', /^v1:[0-9a-f]{64}$/);
  await answerOf(plane.uninstall(agentId, { releaseName: 'web', namespace: 'life' }));
});

test('a failed upgrade is rolled back to an own revision, with its hooks', async (t) => {
  const world = await strict;
  const { plane, cluster } = world;
  await answerOf(plane.install(agentId, await chart('undo')));
  const broken = 'apiVersion: v1\nkind: Service\nmetadata: {name: "Not Allowed"}\nspec: {ports: [{port: 1}]}\n';
  const { message } = await failureOf(plane.upgrade(agentId, await chart('undo', { 'z.yaml': broken })));
  t.regex(message, /has been rolled back/);
  t.truthy(await signatureOf(world, 'undo', 3));
  t.truthy(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'undo', name: 'own-hook' }));
});

test('with own, hooks that a tenant has added to a stored revision do not run', async (t) => {
  const world = await strict;
  const { plane } = world;
  const name = { releaseName: 'web', namespace: 'tenant' };
  await answerOf(plane.install(agentId, await chart('tenant')));
  await answerOf(plane.upgrade(agentId, await chart('tenant')));
  await forge(world, 'tenant', 1, withHook('pwned'));
  await forge(world, 'tenant', 2, withHook('pwned'));
  await isRefused(t, world, 'tenant', plane.test(agentId, name));
  await isRefused(t, world, 'tenant', plane.rollback(agentId, { ...name, version: 1 }));
  await isRefused(t, world, 'tenant', plane.rollback(agentId, { ...name, version: 1, noHooks: true }));
  await isRefused(t, world, 'tenant', plane.rollback(agentId, { ...name, version: 1, dryRun: true }));
  await isRefused(t, world, 'tenant', plane.plan(agentId, { ...name, action: 'rollback', version: 1 }));
  await isRefused(t, world, 'tenant', plane.uninstall(agentId, name));
  const { message } = await failureOf(plane.uninstall(agentId, name));
  t.true(message.includes('uninstall the release without hooks (noHooks)'));
  // an upgrade renders its own hooks
  await answerOf(plane.upgrade(agentId, await chart('tenant')));
  await answerOf(plane.test(agentId, name));
  t.truthy(await signatureOf(world, 'tenant', 3));
  await forge(world, 'tenant', 3, withHook('pwned'));
  await answerOf(plane.uninstall(agentId, { ...name, noHooks: true }));
  t.false(await exists(world, 'pwned'));
});

test('with own, a failed upgrade is not rolled back to a revision that a tenant has changed', async (t) => {
  const world = await strict;
  const { plane } = world;
  await answerOf(plane.install(agentId, await chart('trap')));
  const added = `---\n# Source: app/templates/b.yaml\n${bindingManifest('pwned-by-rollback')}\n`;
  await forge(world, 'trap', 1, (release) => ({ ...release, manifest: release.manifest + added }));
  const broken = 'apiVersion: v1\nkind: Service\nmetadata: {name: "Not Allowed"}\nspec: {ports: [{port: 1}]}\n';
  const { message } = await failureOf(plane.upgrade(agentId, await chart('trap', { 'z.yaml': broken })));
  t.regex(message, /an error occurred while rolling back the release.* has not written revision 1 of release web/);
  t.false(await exists(world, 'pwned-by-rollback'));
  const { releases } = await answerOf(plane.history(agentId, { releaseName: 'web', namespace: 'trap' }));
  t.deepEqual(
    releases.map(({ info }) => info.status),
    ['deployed', 'failed'],
  );
});

test('with own, a release of helm is upgraded, and only its own revision stays foreign', async (t) => {
  const world = await strict;
  const { plane, cluster } = world;
  await answerOf(plane.install(agentId, await chart('helm')));
  // as helm writes it: without annotations
  const helm = openStorage('secret', { cluster, host: realHost, onUnreadable: () => undefined });
  const stored = await helm.get({ namespace: 'helm', name: 'web', version: 1 });
  if (stored !== undefined) await helm.update(stored);
  t.is(await signatureOf(world, 'helm', 1), undefined);
  const name = { releaseName: 'web', namespace: 'helm' };
  await isRefused(t, world, 'helm', plane.test(agentId, name));
  await answerOf(plane.upgrade(agentId, await chart('helm')));
  t.is(await signatureOf(world, 'helm', 1), undefined, 'becoming superseded does not sign it');
  t.truthy(await signatureOf(world, 'helm', 2));
  await answerOf(plane.test(agentId, name));
  await answerOf(plane.uninstall(agentId, name));
});

test('with any, all of a stored revision is used, and the revision of a rollback to it is not signed', async (t) => {
  const world = await open;
  const { plane } = world;
  const name = { releaseName: 'web', namespace: 'any' };
  await answerOf(plane.install(agentId, await chart('any')));
  await answerOf(plane.upgrade(agentId, await chart('any')));
  t.truthy(await signatureOf(world, 'any', 2), 'signed, so that own can be set later');
  await forge(world, 'any', 1, withHook('asked-for'));
  await answerOf(plane.rollback(agentId, { ...name, version: 1 }));
  t.true(await exists(world, 'asked-for'));
  t.is(await signatureOf(world, 'any', 3), undefined);
  await answerOf(plane.test(agentId, name));
  t.is(await signatureOf(world, 'any', 3), undefined);
  await answerOf(plane.uninstall(agentId, name));
});

test('own is refused without a journal in the cluster', async (t) => {
  const { kubeconfig } = await open;
  const setup = { agentId, cluster: { text: kubeconfig }, log: recordingLog().log, trustReleases: 'own' as const };
  await t.throwsAsync(agentOf(setup), { message: /^--trust-releases own needs --journal cluster/ });
  await t.throwsAsync(agentOf({ ...setup, journal: 'memory' }), { message: /^--trust-releases own needs/ });
});
