import test from 'ava';
import type { Progress } from '../../../src/operation/progress.ts';
import { stepRunner } from '../../../src/operation/steps/step-runner.ts';
import { steppingHost } from '../../support/host.ts';

function setUp(signal = new AbortController().signal) {
  const reported: Progress[] = [];
  return { reported, runner: stepRunner(signal, steppingHost(), (progress) => reported.push(progress)) };
}

test('reports the start, the updates and the end of a step with their times', async (t) => {
  const { reported, runner } = setUp();
  const result = await runner.step('apply', (tools) => {
    tools.report({ message: 'half of it' });
    tools.done('2 resources applied');
    return Promise.resolve(7);
  });
  t.is(result, 7);
  t.deepEqual(reported, [
    { step: 'apply', state: 'running', time: '2023-11-14T22:13:21.000Z' },
    { step: 'apply', state: 'running', time: '2023-11-14T22:13:22.000Z', message: 'half of it' },
    { step: 'apply', state: 'done', time: '2023-11-14T22:13:23.000Z', message: '2 resources applied' },
  ]);
});

test('reports a skipped step', async (t) => {
  const { reported, runner } = setUp();
  await runner.step('crds', (tools) => {
    tools.skipped('none');
    return Promise.resolve();
  });
  t.like(reported.at(-1), { state: 'skipped', message: 'none' });
});

test('reports and rethrows the error of a failed step', async (t) => {
  const { reported, runner } = setUp();
  const error = new Error('no');
  t.is(await t.throwsAsync(runner.step('apply', () => Promise.reject(error))), error);
  t.like(reported.at(-1), { state: 'failed', message: 'no' });
});

test('does not start a step after the signal has aborted', async (t) => {
  const { reported, runner } = setUp(AbortSignal.abort(new Error('over')));
  await t.throwsAsync(
    runner.step('apply', () => Promise.resolve()),
    { message: 'over' },
  );
  t.deepEqual(reported, []);
});

test('replaces the error of an aborted request by the reason of the abort', async (t) => {
  const controller = new AbortController();
  const { runner } = setUp(controller.signal);
  const run = () => {
    controller.abort(new Error('timed out'));
    return Promise.reject(new DOMException('This operation was aborted', 'AbortError'));
  };
  await t.throwsAsync(runner.step('apply', run), { message: 'timed out' });
});
