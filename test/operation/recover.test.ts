import type { OperationContext } from '../../src/operation/context.ts';
import type { OperationError } from '../../src/operation/error.ts';
import type { Progress, StepName } from '../../src/operation/progress.ts';
import { resumeUpgrade } from '../../src/operation/upgrade.ts';
import { configMap, deployment } from './manifests.ts';
import { memoryCheckpoints } from './resumption/memory-checkpoints.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from './world.ts';

const test = sandboxTest();

const first = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
const stuck = textChart({
  'a.yaml': configMap('a', '2'),
  'c.yaml': configMap('c'),
  'd.yaml': deployment('web', { behaviour: 'never-ready' }),
});
const last = textChart({ 'a.yaml': configMap('a', '3') });

/** Returns the context of an agent that ends at a step. */
function endingAt({ progress }: World, step: StepName) {
  const end = new AbortController();
  return {
    abandon: end.signal,
    progress(item: Progress) {
      progress.push(item);
      if (item.step === step) end.abort(new Error('the process ends'));
    },
  };
}

/** Returns a world with an upgrade whose agent has ended. */
async function withStuckUpgrade(world: World, step: StepName): Promise<World> {
  await world.install(first);
  await world.upgrade(stuck, {}, endingAt(world, step)).catch(() => undefined);
  return world;
}

test('an upgrade takes over a stuck revision, and deletes the objects that only it has', async (t) => {
  const world = await withStuckUpgrade(newWorld(t, first, stuck, last), 'wait');
  t.deepEqual(await world.history(), ['1:deployed', '2:pending-upgrade']);
  t.truthy(await world.find('ConfigMap', 'c'));
  await t.throwsAsync(world.upgrade(last), { code: 'pending_operation' });
  await world.upgrade(last, { recover: true, recoverAfter: 0 });
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.is((await world.stored(2))?.info.description, 'Recovered: its client ended while it was pending-upgrade');
  t.like((await world.find('ConfigMap', 'a'))?.['data'], { value: '3' });
  t.is(await world.find('ConfigMap', 'b'), undefined);
  t.is(await world.find('ConfigMap', 'c'), undefined);
  t.true(world.progress.some(({ message }) => message === 'revision 2 was pending-upgrade and is failed now'));
});

test('an upgrade whose process ends when the stuck revision has failed is continued', async (t) => {
  const world = await withStuckUpgrade(newWorld(t, first, stuck, last), 'wait');
  const { namespace } = world;
  const { storage } = world.context();
  const process = new AbortController();
  const checkpoints = memoryCheckpoints();
  const ending: Partial<OperationContext> = {
    id: 'operation-1',
    abandon: process.signal,
    checkpoints: {
      save: async (state, isNeeded) => {
        if (isNeeded && !process.signal.aborted) await checkpoints.save(state, isNeeded);
      },
    },
    storage: {
      ...storage,
      async update(...args) {
        const written = await storage.update(...args);
        process.abort(new Error('the process ends'));
        return written;
      },
    },
  };
  const options = { recover: true, recoverAfter: 0 };
  await t.throwsAsync(world.upgrade(last, options, ending));
  t.deepEqual(await world.history(), ['1:deployed', '2:failed']);
  const state = checkpoints.find('operation-1');
  if (state === undefined) throw new Error('there is no state to continue from');
  const loadChart = () => Promise.resolve(last.chart);
  await resumeUpgrade(world.context(), state, { namespace, releaseName, loadChart, ...options });
  t.deepEqual(await world.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.is(await world.find('ConfigMap', 'c'), undefined);
});

test('does not take over a revision that was written a short time ago', async (t) => {
  const world = await withStuckUpgrade(newWorld(t, first, stuck, last), 'wait');
  const attempts = [
    world.upgrade(last, { recover: true }),
    world.rollback({ recover: true }),
    world.uninstall({ recover: true }),
  ];
  for (const attempt of attempts) {
    const error = await t.throwsAsync<OperationError>(attempt);
    t.is(error.code, 'pending_operation');
    t.regex(
      error.message,
      /revision 2 is pending-upgrade and was written \d+m?s.* ago\. It can be recovered 1h0m0s after the last write$/,
    );
  }
  t.deepEqual(await world.history(), ['1:deployed', '2:pending-upgrade']);
});

test('an upgrade takes over a stuck installation', async (t) => {
  const world = newWorld(t, stuck, last);
  await world.install(stuck, {}, endingAt(world, 'wait')).catch(() => undefined);
  await world.install(last, { upgrade: true, recover: true, recoverAfter: 0 });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.is(await world.find('ConfigMap', 'c'), undefined);
});

test('an upgrade takes over a stuck uninstallation', async (t) => {
  const world = newWorld(t, first, last);
  await world.install(first);
  await world.uninstall({}, endingAt(world, 'delete')).catch(() => undefined);
  t.deepEqual(await world.history(), ['1:uninstalling']);
  await world.upgrade(last, { recover: true, recoverAfter: 0 });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  t.is(await world.find('ConfigMap', 'b'), undefined);
});

test('a rollback of an unfinished upgrade says so, and marks it as failed only to recover it', async (t) => {
  const world = await withStuckUpgrade(newWorld(t, first, stuck), 'apply');
  await world.rollback();
  t.deepEqual(await world.history(), ['1:superseded', '2:pending-upgrade', '3:deployed']);
  const warning = 'revision 2 is pending-upgrade: another client may still be working on it';
  t.true(world.progress.some(({ message }) => message === warning));

  const recovered = await withStuckUpgrade(newWorld(t, first, stuck), 'wait');
  await recovered.rollback({ recover: true, recoverAfter: 0 });
  t.deepEqual(await recovered.history(), ['1:superseded', '2:failed', '3:deployed']);
  t.is(await recovered.find('ConfigMap', 'c'), undefined);
  t.truthy(await recovered.find('ConfigMap', 'b'));
});

test('an uninstallation that recovers deletes the objects of both revisions', async (t) => {
  const world = await withStuckUpgrade(newWorld(t, first, stuck), 'apply');
  await world.uninstall({ recover: true, recoverAfter: 0 });
  for (const name of ['a', 'b', 'c']) t.is(await world.find('ConfigMap', name), undefined);
  t.deepEqual(await world.history(), []);
});

test('does not overwrite a revision whose client finishes while it is recovered', async (t) => {
  const world = await withStuckUpgrade(newWorld(t, first, stuck, last), 'wait');
  const { storage } = world.context();
  const update: typeof storage.update = async (revision, signal) => {
    const stored = await storage.get({ namespace: world.namespace, name: 'web', version: 2 });
    if (revision.release.version === 2 && stored?.release.info.status === 'pending-upgrade') {
      const info = { ...stored.release.info, status: 'deployed' as const };
      await storage.update({ ...stored, release: { ...stored.release, info } });
    }
    return storage.update(revision, signal);
  };
  const request = { recover: true, recoverAfter: 0 };
  await t.throwsAsync(world.upgrade(last, request, { storage: { ...storage, update } }), { code: 'release_conflict' });
  t.deepEqual(await world.history(), ['1:deployed', '2:deployed']);
});
