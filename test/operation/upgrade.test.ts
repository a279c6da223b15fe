import type { Cluster } from '../../src/objects/cluster.ts';
import { Cancellation } from '../../src/operation/cancellation.ts';
import type { OperationContext } from '../../src/operation/context.ts';
import type { OperationError } from '../../src/operation/error.ts';
import type { UpgradeRequest } from '../../src/operation/request.ts';
import { customLabels } from '../../src/release/storage/storage.ts';
import { configMap, deployment, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, sandboxTest, stepEnds, type World } from './world.ts';

const test = sandboxTest();

async function imageOf(world: World, name: string): Promise<unknown> {
  const found = await world.find('Deployment', name);
  const spec = found?.['spec'] as { template: { spec: { containers: { image: string }[] } } } | undefined;
  return spec?.template.spec.containers[0]?.image;
}

test('changes, adds and deletes objects, and supersedes the old revision', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b'), 'd.yaml': deployment('web') });
  const second = textChart({
    'a.yaml': configMap('a', '2'),
    'c.yaml': configMap('c'),
    'd.yaml': deployment('web', { image: 'localhost/app:2' }),
  });
  const world = newWorld(t, first, second);
  const installed = await world.install(first);
  world.progress.length = 0;
  const release = await world.upgrade(second);
  t.deepEqual(stepEnds(world.progress), [
    'load:done',
    'crds:skipped',
    'capabilities:done',
    'render:done',
    'check:done',
    'record:done',
    'pre-hooks:skipped',
    'apply:done',
    'wait:done',
    'post-hooks:skipped',
    'finish:done',
  ]);
  t.like(release, { version: 2, info: { status: 'deployed', description: 'Upgrade complete' } });
  t.is(release.info.first_deployed, installed.info.first_deployed);
  t.not(release.info.last_deployed, installed.info.last_deployed);
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '2' });
  t.is(await world.find('ConfigMap', 'b'), undefined);
  t.truthy(await world.find('ConfigMap', 'c'));
  t.is(await imageOf(world, 'web'), 'localhost/app:2');
});

test('keeps objects that the chart drops if their policy is keep', async (t) => {
  const kept = configMap('b', '1', { 'helm.sh/resource-policy': 'keep' });
  const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': kept });
  const second = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, first, second);
  await world.install(first);
  await world.upgrade(second);
  t.truthy(await world.find('ConfigMap', 'b'));
});

test('reuses the values of the deployed revision if there are none', async (t) => {
  const chart = textChart(({ values }) => ({ 'a.yaml': configMap('a', JSON.stringify(values.get('size'))) }));
  const world = newWorld(t, chart);
  const size = (value: string) => ({ values: `size: ${value}` });
  await world.install(chart, size('big'));
  t.deepEqual((await world.upgrade(chart)).config, { size: 'big' });
  t.deepEqual((await world.upgrade(chart, { values: '# none' })).config, { size: 'big' });
  t.deepEqual((await world.upgrade(chart, size('small'))).config, { size: 'small' });
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '"small"' });
});

test('uses stored values as Helm does with reuseValues and the other options', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const config = async (request: Partial<UpgradeRequest>) => (await world.upgrade(chart, request)).config;
  await world.install(chart, { values: 'own: 1' });
  const given = { values: 'given: 2' };
  t.deepEqual(await config({ ...given, reuseValues: true }), { own: 1, given: 2 });
  t.deepEqual(await config({ resetThenReuseValues: true, set: [{ kind: 'set', text: 'given=3' }] }), {
    own: 1,
    given: 3,
  });
  t.deepEqual(await config({ ...given, resetValues: true, reuseValues: true }), { given: 2 });
  t.is(await config({ resetValues: true }), undefined);
});

test('adds labels to those of the revision before, and removes those that are null', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const labelsOf = async (version: number) => {
    const name = `sh.helm.release.v1.web.v${version}`;
    return customLabels((await world.find('Secret', name))?.metadata.labels ?? {});
  };
  await world.install(chart, { labels: { team: 'a', tier: 'x' } });
  await world.upgrade(chart, { labels: { tier: 'null', stage: 'b' } });
  t.deepEqual(await labelsOf(1), { team: 'a', tier: 'x' });
  t.deepEqual(await labelsOf(2), { team: 'a', stage: 'b' });
  const message =
    'user supplied labels contains system reserved label name. System labels: [name owner status version createdAt modifiedAt]';
  await t.throwsAsync(world.upgrade(chart, { labels: { owner: 'me' } }), { code: 'bad_payload', message });
});

test('passes isUpgrade and the revision to templates', async (t) => {
  const chart = textChart(({ release }) => ({ 'a.yaml': configMap('a', JSON.stringify(release)) }));
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.upgrade(chart);
  const data = (await world.find('ConfigMap', 'a'))?.['data'] as { value: string };
  t.like(JSON.parse(data.value), { name: 'web', revision: 2, isInstall: false, isUpgrade: true });
});

test('fails for a release that does not exist', async (t) => {
  const chart = textChart({});
  const error = await t.throwsAsync(newWorld(t, chart).upgrade(chart));
  t.like(error, { code: 'no_deployed_release', message: '"web" has no deployed releases' });
});

test('refuses a release with a pending operation', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('web', { behaviour: 'never-ready' }) });
  const world = newWorld(t, chart);
  const stop = new AbortController();
  const progress = ({ step }: { step: string }) => {
    if (step === 'wait') stop.abort();
  };
  await t.throwsAsync(world.install(chart, {}, { abandon: stop.signal, progress }));
  const error = await t.throwsAsync(world.upgrade(chart));
  t.like(error, {
    code: 'pending_operation',
    message: 'another operation (install/upgrade/rollback) is in progress',
  });
});

test('refuses one of two upgrades that record their revision at the same time', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { storage } = world.context();
  let waiting = 0;
  const both = Promise.withResolvers<undefined>();
  const meeting: typeof storage = {
    ...storage,
    async create(...release) {
      waiting += 1;
      if (waiting === 2) both.resolve(undefined);
      await both.promise;
      return storage.create(...release);
    },
  };
  const upgrade = () => world.upgrade(chart, {}, { storage: meeting });
  const results = await Promise.allSettled([upgrade(), upgrade()]);
  const refused = results.filter((result) => result.status === 'rejected');
  t.is(refused.length, 1);
  t.like(refused[0]?.reason, { code: 'pending_operation' });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
});

test('upgrades a release whose installation failed', async (t) => {
  const bad = textChart({ 'j.yaml': job('load', { args: ['fail'] }) });
  const good = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, bad, good);
  await t.throwsAsync(world.install(bad, { atomic: false }));
  await world.upgrade(good);
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.is(await world.find('Job', 'load'), undefined);
});

test('rolls back a failed atomic upgrade to the last successful revision', async (t) => {
  const good = textChart({ 'd.yaml': deployment('web'), 'a.yaml': configMap('a') });
  const bad = textChart({
    'd.yaml': deployment('web', { image: 'localhost/app:missing' }),
    'a.yaml': configMap('a', '2'),
    'n.yaml': configMap('new'),
  });
  const world = newWorld(t, good, bad);
  await world.install(good);
  world.progress.length = 0;
  const error = await t.throwsAsync<OperationError>(world.upgrade(bad));
  t.is(error.code, 'not_ready');
  t.regex(
    error.message,
    /^release web failed, and has been rolled back due to rollback-on-failure being set: resource Deployment\/.*\/web not ready\. status: InProgress, message: (ErrImagePull|ImagePullBackOff|Failed): /,
  );
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.like((await world.stored(3))?.info, { description: 'Rollback to 1', status: 'deployed' });
  t.regex((await world.stored(2))?.info.description ?? '', /^Upgrade "web" failed: resource Deployment/);
  t.is(await imageOf(world, 'web'), 'localhost/app:1');
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '1' });
  t.is(await world.find('ConfigMap', 'new'), undefined);
  t.deepEqual(stepEnds(world.progress).slice(-2), ['wait:failed', 'rollback:done']);
  const undoing = world.progress.filter(({ step }) => step === 'rollback').map(({ message }) => message);
  t.true(undoing.includes('record: revision 3 as 1'));
  t.true(undoing.includes('wait: 2 resources ready'));
});

test('gives the reason from the new pods of a Deployment, not from old ones', async (t) => {
  const crashing = textChart({ 'd.yaml': deployment('web', { behaviour: 'crash-loop' }) });
  const unpullable = textChart({ 'd.yaml': deployment('web', { image: 'localhost/app:missing' }) });
  const world = newWorld(t, crashing, unpullable);
  await world.install(crashing, { wait: false });
  const error = await t.throwsAsync(world.upgrade(unpullable, { atomic: false }));
  t.regex(error.message, /message: (ErrImagePull|ImagePullBackOff|Failed): .*localhost\/app:missing/);
});

test('keeps a failed upgrade if it is not atomic, and starts the next from the deployed revision', async (t) => {
  const good = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const bad = textChart({ 'a.yaml': configMap('a', '2'), 'j.yaml': job('load', { args: ['fail'] }) });
  const world = newWorld(t, good, bad);
  await world.install(good);
  const error = await t.throwsAsync<OperationError>(world.upgrade(bad, { atomic: false }));
  t.is(error.code, 'not_ready');
  t.deepEqual(await world.history(), ['1:deployed', '2:failed']);
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '2' });
  await world.upgrade(good);
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.truthy(await world.find('Job', 'load'), 'as in Helm, the baseline has no objects of failed revisions');
});

test('cleanupOnFail deletes the objects that a failed upgrade created', async (t) => {
  const good = textChart({ 'a.yaml': configMap('a') });
  const bad = textChart({
    'a.yaml': configMap('a'),
    'n.yaml': configMap('new'),
    'j.yaml': job('load', { args: ['fail'] }),
  });
  const world = newWorld(t, good, bad);
  await world.install(good);
  await t.throwsAsync(world.upgrade(bad, { atomic: false, cleanupOnFail: true }));
  t.truthy(await world.find('ConfigMap', 'a'));
  t.is(await world.find('ConfigMap', 'new'), undefined);
});

test('reports that there is no successful revision to roll back to', async (t) => {
  const bad = textChart({ 'j.yaml': job('load', { args: ['fail'] }) });
  const world = newWorld(t, bad);
  await t.throwsAsync(world.install(bad, { atomic: false }));
  await t.throwsAsync(world.upgrade(bad), {
    message:
      /^unable to find a previously successful release when attempting to rollback\. original upgrade error: resource Job/,
  });
});

test('adds the error of a failed rollback to the error of the upgrade', async (t) => {
  const hooked = job('check', { args: ['fail'], annotations: hook('pre-rollback') });
  const good = textChart({ 'a.yaml': configMap('a'), 'h.yaml': hooked });
  const bad = textChart({ 'j.yaml': job('load', { args: ['fail'] }) });
  const world = newWorld(t, good, bad);
  await world.install(good);
  const error = await t.throwsAsync<OperationError>(world.upgrade(bad));
  t.is(error.code, 'not_ready');
  t.regex(
    error.message,
    /^an error occurred while rolling back the release\. original upgrade error: resource Job\/.*\/load .*: resource Job\/.*\/check not ready/s,
  );
  t.deepEqual(await world.history(), ['1:deployed', '2:failed', '3:failed']);
});

test('fails for an object with only generateName, as Helm does', async (t) => {
  const generated = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } });
  const chart = textChart({ 'a.yaml': configMap('a') });
  const unnamed = textChart({ 'a.yaml': configMap('a'), 'g.yaml': generated });
  const world = newWorld(t, chart, unnamed);
  await t.throwsAsync(world.install(unnamed), {
    code: 'apply_failed',
    message: /server-side apply failed for object [a-z0-9-]+\/ \/v1, Kind=ConfigMap: resource name may not be empty$/,
  });
  await world.install(chart);
  await t.throwsAsync(world.upgrade(unnamed, { atomic: false, cleanupOnFail: true }), {
    message: 'could not get information about the resource: resource name may not be empty',
  });
  t.deepEqual(await world.history(), ['1:deployed', '2:failed']);
});

test('refuses to take over an object of another owner', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a') });
  const second = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
  const world = newWorld(t, first, second);
  await world.install(first);
  const { namespace } = world;
  await world.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', namespace } });
  const error = await t.throwsAsync(world.upgrade(second));
  t.like(error, { code: 'ownership_conflict' });
  t.regex(error.message, /^unable to continue with update: ConfigMap "b" in namespace/);
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('keeps as many revisions as historyLimit', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  for (let count = 0; count < 3; count += 1) await world.upgrade(chart, { historyLimit: 2 });
  t.deepEqual(await world.history(), ['3:superseded', '4:deployed']);
});

for (const moment of ['applied', 'waited for'] as const) {
  test(`the hook Job of an upgrade that is replaced is stopped: it was just ${moment}`, async (t) => {
    const first = textChart({ 'a.yaml': configMap('a') });
    const pre = hook('pre-upgrade', { policy: 'hook-succeeded' });
    const stopped = textChart({
      'a.yaml': configMap('a', '2'),
      'b.yaml': configMap('b', '1', hook('pre-upgrade', { weight: -1 })),
      'j.yaml': job('long', { args: ['sleep', '10h'], annotations: pre }),
    });
    const world = newWorld(t, first, stopped);
    await world.install(first);
    const cancel = new AbortController();
    const stop = () => cancel.abort(new Cancellation('a newer command replaces it', 'superseded'));
    const cluster: Cluster = {
      ...world.cluster,
      async apply(object, options) {
        const applied = await world.cluster.apply(object, options);
        if (moment === 'applied' && object.kind === 'Job') stop();
        return applied;
      },
    };
    const progress: OperationContext['progress'] = ({ resources }) => {
      if (resources?.some(({ kind }) => kind === 'Job') === true) stop();
    };
    await t.throwsAsync(world.upgrade(stopped, {}, { signal: cancel.signal, progress, cluster }), {
      code: 'cancelled',
    });
    t.is(await world.find('Job', 'long'), undefined);
    t.truthy(await world.find('ConfigMap', 'b'));
    t.deepEqual(await world.history(), ['1:deployed', '2:failed']);
  });
}

test('an upgrade that replaces another one deletes the objects that only the other one has', async (t) => {
  const first = textChart({ 'a.yaml': configMap('a') });
  const stopped = textChart({
    'a.yaml': configMap('a'),
    'b.yaml': configMap('b'),
    'd.yaml': deployment('web', { image: 'localhost/app:missing' }),
  });
  const last = textChart({ 'a.yaml': configMap('a', '3') });
  const world = newWorld(t, first, stopped, last);
  await world.install(first);
  const cancel = new AbortController();
  const progress: OperationContext['progress'] = ({ step }) => {
    if (step === 'wait') cancel.abort(new Cancellation('a newer command replaces it', 'superseded'));
  };
  await t.throwsAsync(world.upgrade(stopped, {}, { signal: cancel.signal, progress }), { code: 'cancelled' });
  t.deepEqual(await world.history(), ['1:deployed', '2:failed']);
  t.truthy(await world.find('ConfigMap', 'b'));
  await world.upgrade(last, { ifBusy: 'supersede' });
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.is(await world.find('ConfigMap', 'b'), undefined);
  t.is(await world.find('Deployment', 'web'), undefined);
});
