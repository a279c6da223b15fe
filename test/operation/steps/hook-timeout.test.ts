import { hook, job } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest } from '../world.ts';

const test = sandboxTest();

const endless = (annotations: Record<string, string> = {}) =>
  textChart({
    'j.yaml': job('slow', { args: ['sleep', '1000h'], annotations: { ...hook('pre-install'), ...annotations } }),
  });

test('a hook that takes longer than its annotation says fails', async (t) => {
  const chart = endless({ 'helm-agent/hook-timeout': '300ms' });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, { atomic: false, hookTimeout: 3_600_000 }), {
    code: 'hook_failed',
  });
  t.regex(
    error.message,
    /^failed pre-install: hook web\/templates\/j\.yaml did not end within its time limit of 300ms: /,
  );
  t.deepEqual(await world.history(), ['1:failed']);
  t.is((await world.stored(1))?.hooks?.[0]?.last_run.phase, 'Failed');
});

test('the option limits hooks without the annotation', async (t) => {
  const chart = endless();
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, { atomic: false, hookTimeout: 300 }), { code: 'hook_failed' });
  t.regex(error.message, /within its time limit of 300ms/);
});

test('the time limit of the operation counts in any case', async (t) => {
  const chart = endless({ 'helm-agent/hook-timeout': '1h' });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart, { atomic: false, timeout: 2000 }), { code: 'timeout' });
});

test('a hook whose time limit is no duration does not run', async (t) => {
  const chart = endless({ 'helm-agent/hook-timeout': 'soon' });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, { atomic: false }), { code: 'invalid_manifest' });
  t.regex(error.message, /the annotation helm-agent\/hook-timeout is "soon"; give a duration above 0, such as 90s$/);
  t.is(await world.find('Job', 'slow'), undefined);
});
