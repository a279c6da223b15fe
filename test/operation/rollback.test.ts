import { configMap, deployment, hook, job } from './manifests.ts';
import { refusingCluster } from './refusing-cluster.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, sandboxTest, stepEnds, timeUpWhen } from './world.ts';

const test = sandboxTest();

const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
const second = textChart({ 'a.yaml': configMap('a', '2'), 'c.yaml': configMap('c') });

test('deploys the previous revision as a new one', async (t) => {
  const world = newWorld(t, first, second);
  const installed = await world.install(first, { values: 'size: big' });
  await world.upgrade(second, { values: 'size: small' });
  world.progress.length = 0;
  const release = await world.rollback();
  t.deepEqual(stepEnds(world.progress), [
    ...['check:done', 'record:done', 'pre-hooks:skipped', 'apply:done', 'wait:done', 'post-hooks:skipped'],
    'finish:done',
  ]);
  t.like(release, { version: 3, info: { status: 'deployed', description: 'Rollback to 1' }, config: { size: 'big' } });
  t.is(release.info.first_deployed, installed.info.first_deployed);
  t.is(release.manifest, installed.manifest);
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:deployed']);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
  t.truthy(await world.find('ConfigMap', 'b'));
  t.is(await world.find('ConfigMap', 'c'), undefined);
});

test('deploys a given revision', async (t) => {
  const world = newWorld(t, first, second);
  await world.install(first);
  await world.upgrade(second);
  await world.upgrade(first);
  await world.rollback({ version: 2 });
  t.like(await world.stored(4), { info: { status: 'deployed', description: 'Rollback to 2' } });
  t.truthy(await world.find('ConfigMap', 'c'));
});

test('leaves a failed revision failed', async (t) => {
  const failing = textChart({ 'a.yaml': configMap('a', '3'), 'job.yaml': job('migrate', { args: ['fail'] }) });
  const world = newWorld(t, first, failing);
  await world.install(first);
  await t.throwsAsync(world.upgrade(failing, { atomic: false }));
  await world.rollback({ version: 1 });
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
});

test('runs the rollback hooks of the old revision', async (t) => {
  const hooks = {
    'pre.yaml': job('before', { annotations: hook('pre-rollback') }),
    'post.yaml': job('after', { annotations: hook('post-rollback') }),
  };
  const hooked = textChart({ 'a.yaml': configMap('a'), ...hooks });
  const world = newWorld(t, hooked, second);
  await world.install(hooked);
  await world.upgrade(second);
  const release = await world.rollback();
  t.deepEqual(release.hooks?.map(({ name, last_run }) => `${name}: ${last_run.phase}`).sort(), [
    'after: Succeeded',
    'before: Succeeded',
  ]);
  t.truthy(await world.find('Job', 'before'));
});

test('runs no hooks if they are disabled', async (t) => {
  const hooked = textChart({ 'pre.yaml': job('before', { args: ['fail'], annotations: hook('pre-rollback') }) });
  const world = newWorld(t, hooked, second);
  await world.install(hooked);
  await world.upgrade(second);
  world.progress.length = 0;
  await world.rollback({ noHooks: true });
  t.is(await world.find('Job', 'before'), undefined);
  t.deepEqual(
    world.progress.filter(({ state }) => state === 'skipped').map(({ step, message }) => `${step}: ${message}`),
    ['pre-hooks: hooks are disabled', 'post-hooks: hooks are disabled'],
  );
});

test('stores a failed hook, and does not leave the revision pending', async (t) => {
  const hooked = textChart({ 'pre.yaml': job('before', { args: ['fail'], annotations: hook('pre-rollback') }) });
  const world = newWorld(t, hooked, second);
  await world.install(hooked);
  await world.upgrade(second);
  await t.throwsAsync(world.rollback(), { code: 'hook_failed' });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed', '3:failed']);
  t.regex((await world.stored(3))?.info.description ?? '', /^Rollback "web" failed: /);
});

test('fails like Helm if a resource does not become ready', async (t) => {
  const bad = textChart({ 'd.yaml': deployment('bad', { image: 'localhost/app:missing' }) });
  const world = newWorld(t, bad, second);
  await world.install(bad, { wait: false });
  await world.upgrade(second);
  const rolledBack = world.rollback({ timeout: 3000, failFast: 'never' }, timeUpWhen(world, /^InProgress/));
  const error = await t.throwsAsync(rolledBack, { code: 'timeout' });
  t.regex(error.message, /^release web failed: timed out after 3s\nresource Deployment/);
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed', '3:failed']);
  t.regex((await world.stored(3))?.info.description ?? '', /^Release "web" failed: timed out after 3s/);
});

test('supersedes the current revision if an object cannot be changed', async (t) => {
  const world = newWorld(t, first, second);
  await world.install(first);
  await world.upgrade(second);
  const cluster = refusingCluster(world.cluster, 'b');
  await t.throwsAsync(world.rollback({}, { cluster }), {
    code: 'apply_failed',
    message: /^failed to create resource: server-side apply failed for object .*\/b \/v1, Kind=ConfigMap: /,
  });
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:failed']);
  t.regex((await world.stored(3))?.info.description ?? '', /^Rollback "web" failed: failed to create resource: /);
});

test('deletes what it created if it fails, on request', async (t) => {
  const three = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b'), 'z.yaml': configMap('z') });
  const world = newWorld(t, three, second);
  await world.install(three);
  await world.upgrade(second);
  const cluster = refusingCluster(world.cluster, 'z');
  await t.throwsAsync(world.rollback({ cleanupOnFail: true }, { cluster }), { code: 'apply_failed' });
  t.is(await world.find('ConfigMap', 'b'), undefined);
  t.deepEqual(stepEnds(world.progress).slice(-2), ['apply:failed', 'delete:done']);
});

test('a dry run returns the revision and changes nothing', async (t) => {
  const world = newWorld(t, first, second);
  await world.install(first);
  await world.upgrade(second);
  const release = await world.rollback({ dryRun: true });
  t.like(release, { version: 3, info: { status: 'pending-rollback', description: 'Rollback to 1' } });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.truthy(await world.find('ConfigMap', 'c'));
});

test('keeps as many revisions as the request says', async (t) => {
  const world = newWorld(t, first, second);
  await world.install(first);
  await world.upgrade(second);
  await world.upgrade(first);
  await world.rollback({ historyLimit: 2 });
  t.deepEqual(await world.history(), ['3:superseded', '4:deployed']);
});

test('a rollback whose last deletion of an old revision fails is deployed, and says so', async (t) => {
  const world = newWorld(t, first, second);
  await world.install(first);
  await world.upgrade(second);
  await world.upgrade(first);
  const { storage } = world.context();
  const refusing: typeof storage = {
    ...storage,
    delete: (revision) =>
      revision.release.version === 2 ? Promise.reject(new Error('no right')) : storage.delete(revision),
  };
  await world.rollback({ historyLimit: 2 }, { storage: refusing });
  t.deepEqual(await world.history(), ['2:superseded', '3:superseded', '4:deployed']);
  t.true(world.progress.some(({ message }) => message === 'old revisions are left: no right'));
});

test('refuses a revision or a release that does not exist', async (t) => {
  const world = newWorld(t, first);
  await t.throwsAsync(world.rollback(), { code: 'release_not_found', message: 'release: not found' });
  await world.install(first);
  const code = 'release_not_found';
  await t.throwsAsync(world.rollback(), { code, message: 'release has no 0 version' });
  await t.throwsAsync(world.rollback({ version: 7 }), { code, message: 'release has no 7 version' });
  await t.throwsAsync(world.rollback({ releaseName: 'Web' }), {
    code: 'invalid_release_name',
    message: 'prepareRollback: Release name is invalid: Web',
  });
  t.deepEqual(await world.history(), ['1:deployed']);
});
