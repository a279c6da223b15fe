import { KubeError } from '../../src/kube/kube-error.ts';
import type { OperationError } from '../../src/operation/error.ts';
import { testRelease } from '../../src/operation/test-release.ts';
import { uninstall } from '../../src/operation/uninstall.ts';
import type { ReleaseError } from '../../src/release/error.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import type { ReleaseStorage } from '../../src/release/storage/storage.ts';
import { realHost } from '../support/host.ts';
import { configMap, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, sandboxTest } from './world.ts';

const test = sandboxTest();
const lost = () => new KubeError('unreachable', 'connection reset');

/** Returns a storage that calls `before` ahead of each update. */
function watchedStorage(storage: ReleaseStorage, before: (version: number, status: string) => Promise<void>) {
  const update: ReleaseStorage['update'] = async (revision, signal) => {
    const { version, info } = revision.release;
    await before(version, info.status);
    return storage.update(revision, signal);
  };
  return { ...storage, update };
}

test('an annotation on the stored release does not undo a release that is ready', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { namespace, cluster } = world;
  const annotated: string[] = [];
  const storage = watchedStorage(world.context().storage, async (version, status) => {
    if (annotated.includes(`${version}:${status}`)) return;
    annotated.push(`${version}:${status}`);
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: `sh.helm.release.v1.web.v${version}` };
    await cluster.mergePatch(ref, { metadata: { annotations: { 'e.io/seen': status } } });
  });
  await world.install(chart, {}, { storage });
  await world.upgrade(chart, {}, { storage });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.deepEqual(annotated, ['1:deployed', '1:superseded', '2:deployed']);
});

test('a final status that cannot be stored does not undo a release that is ready', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const storage = watchedStorage(world.context().storage, () => Promise.reject(lost()));
  await t.throwsAsync(world.install(chart, {}, { storage }), { code: 'unreachable', message: 'connection reset' });
  t.truthy(await world.find('ConfigMap', 'a'));
  t.deepEqual(await world.history(), ['1:pending-install']);
});

test('does not overwrite a release that another client has changed', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { storage } = world.context();
  const racing = watchedStorage(storage, async (version) => {
    const stored = await storage.get({ namespace: world.namespace, name: 'web', version });
    if (stored === undefined) throw new Error('not stored');
    const { release } = stored;
    await storage.update({ ...stored, release: { ...release, info: { ...release.info, status: 'failed' } } });
  });
  await t.throwsAsync(world.install(chart, {}, { storage: racing }), { code: 'release_conflict' });
  t.deepEqual(await world.history(), ['1:failed']);
  t.truthy(await world.find('ConfigMap', 'a'));
});

test('a status whose answer was lost counts as stored', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { storage } = world.context();
  const update: ReleaseStorage['update'] = async (revision, signal) => {
    await storage.update(revision, signal);
    throw lost();
  };
  const release = await world.install(chart, {}, { storage: { ...storage, update } });
  t.is(release.info.status, 'deployed');
});

test('stores the end of a hook again if the API server has failed', async (t) => {
  const chart = textChart({ 't.yaml': job('check', { annotations: hook('test') }) });
  const world = newWorld(t, chart);
  await world.install(chart);
  let updates = 0;
  const storage = watchedStorage(world.context().storage, () => {
    updates += 1;
    return updates === 2 ? Promise.reject(lost()) : Promise.resolve();
  });
  await testRelease(world.context({ storage }), { namespace: world.namespace, releaseName: 'web', timeout: 55_000 });
  t.like((await world.stored(1))?.hooks?.[0]?.last_run, { phase: 'Succeeded' });
});

test('continues if the answer to the creation of the record was lost', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { storage } = world.context();
  const create: ReleaseStorage['create'] = async (release, labels, signal) => {
    await storage.create(release, labels, signal);
    throw lost();
  };
  await world.install(chart, {}, { storage: { ...storage, create } });
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('stores the record again if the API server has failed', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { storage } = world.context();
  let attempts = 0;
  const create: ReleaseStorage['create'] = (...args) => {
    attempts += 1;
    if (attempts < 3) throw new KubeError('server_error', 'etcdserver: leader changed', { status: 500 });
    return storage.create(...args);
  };
  await world.install(chart, {}, { storage: { ...storage, create } });
  t.deepEqual([attempts, ...(await world.history())], [3, '1:deployed']);
});

test('undoes an operation that was cancelled while its record was created', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { storage } = world.context();
  const cancel = new AbortController();
  const create: ReleaseStorage['create'] = async (release, labels) => {
    await storage.create(release, labels);
    cancel.abort();
    throw new DOMException('aborted', 'AbortError');
  };
  await t.throwsAsync(world.install(chart, {}, { storage: { ...storage, create }, signal: cancel.signal }), {
    code: 'cancelled',
  });
  t.deepEqual(await world.history(), []);
});

test('a post-delete hook that fails does not keep the record of an uninstalled release', async (t) => {
  const chart = textChart({
    'a.yaml': configMap('a'),
    'h.yaml': job('h', { args: ['fail'], annotations: hook('post-delete') }),
  });
  const world = newWorld(t, chart);
  await world.install(chart);
  const error = await t.throwsAsync<OperationError>(world.uninstall());
  t.is(error.code, 'hook_failed');
  t.regex(error.message, /^uninstallation completed with 1 error\(s\): resource Job\/.*\/h not ready/);
  t.deepEqual(await world.history(), []);
});

test('finds objects whose API version is no longer served by another version', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { storage } = world.context();
  const stored = await storage.get({ namespace: world.namespace, name: 'web', version: 1 });
  if (stored === undefined) throw new Error('not stored');
  const manifest = stored.release.manifest.replaceAll('"apiVersion":"v1"', '"apiVersion":"v1beta1"');
  await storage.update({ ...stored, release: { ...stored.release, manifest } });
  await world.upgrade(chart);
  await world.uninstall();
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.is(await world.find('ConfigMap', 'b'), undefined);
});

test('keeps everything if a kind is not served at all', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { storage } = world.context();
  const stored = await storage.get({ namespace: world.namespace, name: 'web', version: 1 });
  if (stored === undefined) throw new Error('not stored');
  const { release } = stored;
  const gone =
    '---\n# Source: web/templates/w.yaml\n{"apiVersion":"e.io/v1","kind":"Widget","metadata":{"name":"w"}}\n';
  await storage.update({ ...stored, release: { ...release, manifest: release.manifest + gone } });
  await t.throwsAsync(world.upgrade(chart), {
    code: 'invalid_manifest',
    message: /^unable to build kubernetes objects from current release manifest: .*no matches for kind "Widget"/,
  });
  await t.throwsAsync(world.uninstall(), { code: 'invalid_manifest' });
  t.truthy(await world.find('ConfigMap', 'a'));
  t.deepEqual(await world.history(), ['1:uninstalling']);
});

test('keeps only the deployed revision and the new one with a history limit of 1', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  await world.upgrade(chart, { historyLimit: 1 });
  t.deepEqual(await world.history(), ['2:superseded', '3:deployed']);
});

test('one unreadable revision does not block a release', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  const { namespace, cluster } = world;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'sh.helm.release.v1.web.v1' };
  await cluster.mergePatch(ref, { data: { release: 'AAAA' } });
  const unreadable: string[] = [];
  const onUnreadable = ({ code }: ReleaseError) => void unreadable.push(code);
  const storage = openStorage('secret', { cluster, host: realHost, onUnreadable });
  const release = await world.upgrade(chart, {}, { storage });
  t.is(release.version, 3);
  await uninstall(world.context({ storage }), { namespace, releaseName: 'web', timeout: 55_000 });
  t.is(await world.find('ConfigMap', 'a'), undefined);
  t.true(unreadable.length > 0);
});
