import test from 'ava';
import type { Progress } from '../../../src/operation/progress.ts';
import { stepRunner } from '../../../src/operation/steps/steps.ts';
import { steppingHost } from '../../support/host.ts';

function setUp(signal = new AbortController().signal) {
  const said: Progress[] = [];
  return { said, runner: stepRunner(signal, steppingHost(), (progress) => said.push(progress)) };
}

test('a step tells its beginning, what it reports, and its end, each with the time', async (t) => {
  const { said, runner } = setUp();
  const result = await runner.step('apply', (tools) => {
    tools.report({ message: 'half of it' });
    tools.done('2 resources applied');
    return Promise.resolve(7);
  });
  t.is(result, 7);
  t.deepEqual(said, [
    { step: 'apply', state: 'running', time: '2023-11-14T22:13:21.000Z' },
    { step: 'apply', state: 'running', time: '2023-11-14T22:13:22.000Z', message: 'half of it' },
    { step: 'apply', state: 'done', time: '2023-11-14T22:13:23.000Z', message: '2 resources applied' },
  ]);
});

test('a step may have nothing to do', async (t) => {
  const { said, runner } = setUp();
  await runner.step('crds', (tools) => {
    tools.skipped('none');
    return Promise.resolve();
  });
  t.like(said.at(-1), { state: 'skipped', message: 'none' });
});

test('a step that fails says why, and its error is passed on', async (t) => {
  const { said, runner } = setUp();
  const error = new Error('no');
  t.is(await t.throwsAsync(runner.step('apply', () => Promise.reject(error))), error);
  t.like(said.at(-1), { state: 'failed', message: 'no' });
});

test('no step begins once the signal has aborted', async (t) => {
  const { said, runner } = setUp(AbortSignal.abort(new Error('over')));
  await t.throwsAsync(
    runner.step('apply', () => Promise.resolve()),
    { message: 'over' },
  );
  t.deepEqual(said, []);
});

test('what an aborted request throws becomes the reason of the abort', async (t) => {
  const controller = new AbortController();
  const { runner } = setUp(controller.signal);
  const run = () => {
    controller.abort(new Error('timed out'));
    return Promise.reject(new DOMException('This operation was aborted', 'AbortError'));
  };
  await t.throwsAsync(runner.step('apply', run), { message: 'timed out' });
});
