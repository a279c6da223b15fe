import test from 'ava';
import { OperationError } from '../../../src/operation/error.ts';
import { withRedaction } from '../../../src/operation/evidence/redacted-reports.ts';
import { redactedResources } from '../../../src/operation/evidence/redacted-resources.ts';
import type { Redact, Redaction } from '../../../src/operation/evidence/release-redaction.ts';
import type { ResourceStatus } from '../../../src/operation/resource-status.ts';
import type { StepTools } from '../../../src/operation/steps/step-runner.ts';

const waiting: ResourceStatus = { apiVersion: 'v1', kind: 'Pod', name: 'a', status: 'InProgress', reason: 'starts' };
const crashed: ResourceStatus = {
  ...waiting,
  reason: 'Terminated: exit code 1: hunter2 hunter3',
  problem: { code: 'crash_loop', class: 'likely' },
};

function collecting() {
  const reported: Parameters<StepTools['report']>[0][] = [];
  const ignore = () => undefined;
  const tools: StepTools = {
    signal: new AbortController().signal,
    ...{ done: ignore, skipped: ignore },
    report: (update) => void reported.push(update),
  };
  return { tools, reported };
}

/** hunter2 is in the manifest, and hunter3 in a Secret that a pod uses. */
const redaction: Redaction = {
  ofServer: (texts) => Promise.resolve(texts.map((text) => text.replace('hunter2', '***'))),
  ofPods: (texts) => Promise.resolve(texts.map((text) => text.replace(/hunter[23]/g, '***'))),
};

const refuse: Redact = () => Promise.reject(new Error('no release'));

test('redacts messages and reasons, and keeps the order of reports', async (t) => {
  const { tools, reported } = collecting();
  const estimate = '2026-01-01T00:00:00.000Z';
  const result = await withRedaction(tools, redaction, undefined, (own) => {
    own.report({ estimate });
    t.deepEqual(reported, [{ estimate }]);
    own.report({ resources: [crashed, waiting] });
    own.report({ message: 'refused: hunter2' });
    own.report({ estimate });
    t.is(reported.length, 1);
    return Promise.resolve(5);
  });
  t.is(result, 5);
  const { problem } = crashed;
  t.deepEqual<unknown, unknown>(reported.slice(1), [
    { resources: [{ ...waiting, reason: 'Terminated: exit code 1: *** ***', problem }, waiting] },
    { message: 'refused: ***' },
    { estimate },
  ]);
});

test('redacts an error, its resources and its problems', async (t) => {
  const { tools } = collecting();
  const field = { apiVersion: 'v1', kind: 'Secret', name: 's', field: 'data[a]', message: 'invalid: hunter2' };
  const thrown = new OperationError('apply_failed', 'Secret "s" is invalid: hunter2', {
    resources: [{ ...waiting, reason: 'hunter2' }],
    problems: [field],
  });
  const error = await t.throwsAsync<OperationError>(
    withRedaction(tools, redaction, undefined, () => Promise.reject(thrown)),
    { code: 'apply_failed', message: 'Secret "s" is invalid: ***' },
  );
  t.deepEqual(error.resources, [{ ...waiting, reason: '***' }]);
  t.deepEqual(error.problems, [{ ...field, message: 'invalid: ***' }]);
});

test('throws the same error if it quotes no secret', async (t) => {
  const { tools } = collecting();
  const thrown = new OperationError('not_ready', 'not ready', { resources: [waiting] });
  const error = await t.throwsAsync(withRedaction(tools, redaction, undefined, () => Promise.reject(thrown)));
  t.is(error, thrown);
});

test('leaves out texts whose secrets are not known', async (t) => {
  const found = await redactedResources([crashed, waiting], { ...redaction, ofPods: refuse });
  t.regex(found[0]?.reason ?? '', /not shown/);
  t.is(found[1]?.reason, 'starts');
  const { tools, reported } = collecting();
  const unknown = { ofServer: refuse, ofPods: refuse };
  await t.throwsAsync(
    withRedaction(tools, unknown, undefined, (own) => {
      own.report({ message: 'hunter2' });
      return Promise.reject(new OperationError('apply_failed', 'hunter2'));
    }),
    { code: 'apply_failed', message: /not shown/ },
  );
  t.is(reported.length, 1);
  t.regex(reported[0]?.message ?? '', /not shown/);
});
