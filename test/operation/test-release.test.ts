import type { Progress } from '../../src/operation/progress.ts';
import { testRelease } from '../../src/operation/test-release.ts';
import { configMap, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, stepEnds, type World } from './world.ts';

const test = sandboxTest();

const testHook = (name: string, args: string[] = [], policy?: string) =>
  job(name, { args, annotations: hook('test', policy === undefined ? {} : { policy }) });

function runTests(world: World, request: object = {}, context: object = {}) {
  const name = { namespace: world.namespace, releaseName };
  return testRelease(world.context(context), { ...name, timeout: 55_000, ...request });
}

test('runs the tests of the newest revision, and stores their runs', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a'), 't.yaml': testHook('one') });
  const world = newWorld(t, chart);
  await world.install(chart);
  world.progress.length = 0;
  const { release, failure } = await runTests(world);
  t.is(failure, undefined);
  t.like(release.hooks, { length: 1, 0: { last_run: { phase: 'Succeeded' } } });
  t.deepEqual((await world.stored(1))?.hooks, release.hooks);
  t.is((await world.stored(1))?.info.status, 'deployed');
  t.deepEqual(stepEnds(world.progress), ['test:done']);
});

test('a test that fails ends the run, and is part of the result and of the revision', async (t) => {
  const chart = textChart({ 'a.yaml': testHook('one', ['fail']), 'b.yaml': testHook('two') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { release, failure } = await runTests(world);
  t.like(failure, { code: 'hook_failed' });
  t.is(release.hooks?.[0]?.last_run.phase, 'Failed');
  t.not(release.hooks?.[1]?.last_run.phase, 'Succeeded');
  t.is((await world.stored(1))?.hooks?.[0]?.last_run.phase, 'Failed');
});

test('runs only the tests that the request selects', async (t) => {
  const chart = textChart({ 'a.yaml': testHook('one'), 'b.yaml': testHook('two'), 'c.yaml': testHook('three') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const phases = async (request: object) =>
    (await runTests(world, request)).release.hooks?.map(({ name, last_run }) => `${name} ${last_run.phase}`).sort();
  t.deepEqual(await phases({ include: ['two'] }), ['one ', 'three ', 'two Succeeded']);
  t.deepEqual(await phases({ exclude: ['two', 'three'] }), ['one Succeeded', 'three ', 'two Succeeded']);
});

test('stores the hooks that the request leaves out first, as Helm does', async (t) => {
  const chart = textChart({ 'a.yaml': testHook('one'), 'b.yaml': testHook('two'), 'c.yaml': testHook('three') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const before = (await world.stored(1))?.hooks?.map(({ name }) => name) ?? [];
  const [first = ''] = before;
  const { release } = await runTests(world, { include: [first] });
  t.is(release.hooks?.at(-1)?.last_run.phase, 'Succeeded');
  t.deepEqual(
    (await world.stored(1))?.hooks?.map(({ name }) => name),
    [...before.slice(1), first],
  );
});

test('reads the logs before the policy deletes a test', async (t) => {
  const chart = textChart({ 'a.yaml': testHook('one', [], 'hook-succeeded') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const { logs } = await runTests(world, { logs: true });
  t.like(logs, { length: 1, 0: { container: 'main' } });
  t.regex(logs?.[0]?.pod ?? '', /^one-/);
  t.is(await world.find('Job', 'one'), undefined);
});

test('a cancelled run fails, and stores the runs so far', async (t) => {
  const chart = textChart({ 'a.yaml': testHook('one', ['sleep', '600s']) });
  const world = newWorld(t, chart);
  await world.install(chart);
  const stop = new AbortController();
  const progress = ({ step, resources }: Progress) => {
    if (step === 'test' && resources !== undefined) stop.abort(new Error('enough'));
  };
  await t.throwsAsync(runTests(world, {}, { signal: stop.signal, progress }), { code: 'cancelled' });
  t.is((await world.stored(1))?.hooks?.[0]?.last_run.phase, 'Failed');
});

test('a release that does not exist cannot be tested', async (t) => {
  await t.throwsAsync(runTests(newWorld(t)), { code: 'release_not_found', message: 'release: not found' });
});
