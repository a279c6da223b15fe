import type { KubeObject } from '../../src/objects/object.ts';
import { releaseHistory } from '../../src/operation/history.ts';
import { list } from '../../src/operation/list.ts';
import { decodeRelease, encodeRelease } from '../../src/release/codec.ts';
import type { Release } from '../../src/release/release.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { realHost } from '../support/host.ts';
import { configMap } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from './world.ts';

const test = sandboxTest();
const chart = textChart({ 'a.yaml': configMap('a') });

/** As in the agent, revisions that cannot be read are left out. */
function tolerant({ cluster }: World) {
  return { storage: openStorage('secret', { cluster, host: realHost, onUnreadable: () => undefined }) };
}

/** Changes the content of a stored revision, as someone can who may write Secrets. */
async function forge({ cluster, namespace }: World, version: number, changes: Partial<Release>): Promise<void> {
  const name = `sh.helm.release.v1.${releaseName}.v${version}`;
  const secret = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  if (secret === undefined) throw new Error(`no ${name}`);
  const { release } = secret['data'] as { release: string };
  const content = await decodeRelease(Buffer.from(release, 'base64').toString());
  const forged = await encodeRelease({ ...content, ...changes });
  await cluster.replace({ ...secret, data: { release: Buffer.from(forged).toString('base64') } });
}

async function secretsOf({ cluster, namespace }: World): Promise<string[]> {
  const found = await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace });
  return found.map(({ metadata }: KubeObject) => metadata.name.replace(`sh.helm.release.v1.${releaseName}.`, ''));
}

test('an upgrade that deletes old revisions leaves those that a forged one names', async (t) => {
  const victim = newWorld(t, chart);
  const tenant = newWorld(t, chart);
  await victim.install(chart);
  await tenant.install(chart);
  await tenant.upgrade(chart);
  await forge(tenant, 1, { namespace: victim.namespace });
  await tenant.upgrade(chart, { historyLimit: 1 }, tolerant(tenant));
  t.deepEqual(await secretsOf(victim), ['v1']);
  await victim.upgrade(chart);
  t.deepEqual(await victim.history(), ['1:superseded', '2:deployed']);
});

test('an uninstallation leaves what a forged revision names', async (t) => {
  const victim = newWorld(t, chart);
  const tenant = newWorld(t, chart);
  await victim.install(chart);
  await tenant.install(chart);
  const { info } = (await tenant.stored(1)) ?? {};
  await forge(tenant, 1, { namespace: victim.namespace, info: { ...info, status: 'uninstalled' } });
  await t.throwsAsync(tenant.uninstall({}, tolerant(tenant)), {
    code: 'release_corrupt',
    message: /: the namespace in its content is not that of the Secret$/,
  });
  t.deepEqual(await secretsOf(victim), ['v1']);
  t.not(await victim.find('ConfigMap', 'a'), undefined);
});

test('a list and a history leave out what they cannot read, and say so', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  await forge(world, 2, { name: 'other' });
  const { namespace } = world;
  const context = world.context(tolerant(world));
  const unreadable = [
    `Secret ${namespace}/sh.helm.release.v1.web.v2: the name or the revision in its content is not that of the Secret`,
  ];
  const versions = (releases: readonly Release[]) => releases.map(({ version }) => version);
  const listed = await list(context, { namespace });
  t.deepEqual([versions(listed.releases), listed.unreadable], [[1], unreadable]);
  const known = await releaseHistory(context, { namespace, releaseName });
  t.deepEqual([versions(known.releases), known.unreadable], [[1], unreadable]);
  await forge(world, 1, { name: 'other' });
  t.is((await releaseHistory(context, { namespace, releaseName })).unreadable.length, 2);
  t.deepEqual((await list(context, { namespace })).releases, []);
});

test('a history says only of the first revisions what is wrong with them', async (t) => {
  const world = newWorld(t, chart);
  const { namespace, cluster } = world;
  await world.install(chart);
  for (let version = 2; version <= 30; version += 1) {
    const name = `sh.helm.release.v1.web.v${version}`;
    const labels = { owner: 'helm', name: 'web', version: String(version), status: 'failed' };
    await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, labels }, data: {} });
  }
  const { releases, unreadable } = await releaseHistory(world.context(tolerant(world)), { namespace, releaseName });
  t.deepEqual([releases.length, unreadable.length, unreadable.at(-1)], [1, 21, 'and 9 more']);
});

test('operations that need a revision that cannot be read say which one it is', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  await world.upgrade(chart);
  await forge(world, 2, { name: 'other' });
  const code = 'release_corrupt';
  const problem = /v2: the name or the revision in its content is not that of the Secret$/;
  await t.throwsAsync(world.rollback({ version: 2 }, tolerant(world)), { code, message: problem });
  await t.throwsAsync(world.rollback({}, tolerant(world)), { code, message: problem });
  await t.throwsAsync(world.rollback({ version: 7 }, tolerant(world)), { message: 'release has no 7 version' });
  await world.rollback({ version: 1 }, tolerant(world));
  await forge(world, 4, { name: 'other' });
  const blocked = await t.throwsAsync(world.upgrade(chart, {}, tolerant(world)));
  t.like(blocked, { code });
  t.regex(blocked.message, /revision 4 exists: Secret .*v4: the name or the revision/);
  await world.uninstall({}, tolerant(world));
  t.deepEqual(await secretsOf(world), ['v2', 'v4']);
  const left = world.progress.filter(({ message = '' }) => message.startsWith('left a revision: Secret'));
  t.is(left.length, 2);
});
