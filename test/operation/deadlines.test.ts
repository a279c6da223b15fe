import type { OperationContext } from '../../src/operation/context.ts';
import type { OperationState } from '../../src/operation/state/operation-state.ts';
import { configMap, deployment, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, stepEnds } from './world.ts';

const test = sandboxTest();
const never = deployment('web', { behaviour: 'never-ready' });
const chart = textChart({ 'a.yaml': configMap('a'), 'd.yaml': never });

/** Ends only the time limits of this many milliseconds. */
const ending = (milliseconds: number): Partial<OperationContext> => ({
  startTimer(time, onEnd) {
    const timer = time === milliseconds ? setTimeout(onEnd, 200) : undefined;
    return () => clearTimeout(timer);
  },
});

test('a step ends at its own time limit, and the operation is undone', async (t) => {
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, { stepTimeouts: { wait: 1234 } }, ending(1234)), {
    code: 'timeout',
  });
  t.regex(error.message, /step wait: timed out after 1\.234s\nresource Deployment\/.*\/web not ready/);
  t.deepEqual(stepEnds(world.progress).slice(-2), ['wait:failed', 'uninstall:done']);
});

test('the time limit of another step does not count', async (t) => {
  const ready = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, ready);
  await world.install(ready, { stepTimeouts: { apply: 60_000, delete: 1234 } }, ending(1234));
  t.deepEqual(await world.history(), ['1:deployed']);
});

const ofWaits = { timeout: 1234, timeoutScope: 'wait' } as const;
const endless = textChart({ 'j.yaml': job('slow', { args: ['sleep', '1000h'], annotations: hook('pre-install') }) });

test('with the scope `wait`, only waits have the time limit', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart, { ...ofWaits, timeout: 1, wait: false });
  await world.upgrade(chart, { ...ofWaits, timeout: 1, wait: false });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
});

test('with the scope `wait`, the wait for resources has the time limit, also while the operation is undone', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart, { wait: false });
  const error = await t.throwsAsync(world.upgrade(chart, ofWaits, ending(1234)), { code: 'timeout' });
  const late = /timed out after 1\.234s\nresource Deployment\/.*\/web not ready/.source;
  t.regex(
    error.message,
    new RegExp(`^an error occurred while rolling back the release. original upgrade error: ${late}.*: ${late}`, 's'),
  );
  t.deepEqual(await world.history(), ['1:deployed', '2:failed', '3:failed']);
});

test('with the scope `wait`, each hook has the time limit', async (t) => {
  const ended: number[] = [];
  const startTimer: OperationContext['startTimer'] = (milliseconds) => () => ended.push(milliseconds);
  const annotations = hook('pre-install', { policy: 'hook-failed' });
  const two = textChart({ 'a.yaml': job('a', { annotations }), 'b.yaml': job('b', { annotations }) });
  const world = newWorld(t, two);
  await world.install(two, { ...ofWaits, wait: false }, { startTimer });
  t.is(ended.filter((milliseconds) => milliseconds === 1234).length, 2);

  const slow = newWorld(t, endless);
  const error = await t.throwsAsync(slow.install(endless, { ...ofWaits, atomic: false }, ending(1234)), {
    code: 'timeout',
  });
  t.regex(error.message, /^failed pre-install: timed out after 1\.234s\nresource Job\/.*\/slow not ready/);
});

test('with the scope `wait`, the wait for a deletion has the time limit', async (t) => {
  const finalized = { name: 'a', finalizers: ['example.com/kept'] };
  const kept = textChart({ 'a.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: finalized }) });
  const world = newWorld(t, kept);
  await world.install(kept);
  const error = await t.throwsAsync(world.uninstall({ ...ofWaits, wait: true }, ending(1234)), { code: 'timeout' });
  t.regex(error.message, /^uninstallation completed with 1 error\(s\): timed out after 1\.234s\nresource ConfigMap/);
});

test('the time that an operation has waited for its turn counts towards its time limit', async (t) => {
  const world = newWorld(t, chart);
  const states: OperationState[] = [];
  const checkpoints = {
    save(state: OperationState) {
      states.push(state);
      return Promise.resolve();
    },
  };
  await world.install(chart, { wait: false, timeout: 60_000 }, { queued: 50_000, checkpoints });
  const left = (states[0]?.deadline.at ?? 0) - Date.now();
  t.true(left <= 10_000);
  t.is(states[0]?.deadline.timeout, 60_000);
  const late = world.upgrade(chart, { timeout: 60_000 }, { queued: 60_001 });
  await t.throwsAsync(late, { code: 'timeout' });
});

test('a resource has a time limit by its annotation', async (t) => {
  const annotations = { 'helm-agent/ready-timeout': '300ms' };
  const slow = textChart({ 'd.yaml': deployment('web', { behaviour: 'never-ready', annotations }) });
  const world = newWorld(t, slow);
  const error = await t.throwsAsync(world.install(slow), { code: 'timeout' });
  t.regex(error.message, /not ready within its time limit of 300ms: resource Deployment\/.*\/web not ready/);
});

test('an annotation that is not a duration is an error before anything is applied', async (t) => {
  const wrong = textChart({ 'a.yaml': configMap('a', '1', { 'helm-agent/ready-timeout': 'soon' }) });
  const world = newWorld(t, wrong);
  const error = await t.throwsAsync(world.install(wrong, { releaseName }), { code: 'invalid_manifest' });
  t.regex(error.message, /ConfigMap a: the annotation helm-agent\/ready-timeout is "soon"; give a duration above 0/);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});
