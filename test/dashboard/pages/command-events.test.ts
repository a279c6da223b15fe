import test from 'ava';
import { addCommandEvent, maxLogLines, newCommandView } from '../../../src/dashboard/pages/command-events.ts';

const log = (lines: string[], more: object = {}) => ({
  type: 'log' as const,
  payload: {
    ...{ seq: 1, step: 'wait', time: '2026-01-02T03:04:05Z', pod: 'migrate-1', container: 'app', lines },
    resource: { apiVersion: 'batch/v1', kind: 'Job', name: 'migrate' },
    ...more,
  },
});

test('keeps the newest lines of logs, each with its container', (t) => {
  const view = newCommandView();
  addCommandEvent(view, log(['one'], { omitted: { lines: 7, bytes: 70 } }));
  t.deepEqual(view.logLines, ['migrate-1/app  one', 'migrate-1/app  … 7 lines are left out']);
  for (let part = 0; part < 3; part++)
    addCommandEvent(view, log(Array.from({ length: 4000 }, (_, index) => `${index}`)));
  t.is(view.logLines.length, maxLogLines);
  t.is(view.logLines.at(-1), 'migrate-1/app  3999');
});

test('shows control characters in logs as signs', (t) => {
  const view = newCommandView();
  addCommandEvent(view, log(['\u001b[31mred\u202e']));
  t.deepEqual(view.logLines, ['migrate-1/app  \ufffd[31mred\ufffd']);
});

test('keeps steps, evidence and the result', (t) => {
  const view = newCommandView();
  const status = { seq: 1, step: 'render', state: 'running' as const, time: '2026-01-02T03:04:05Z' };
  addCommandEvent(view, { type: 'accepted' });
  addCommandEvent(view, { type: 'status', payload: status });
  addCommandEvent(view, { type: 'evidence', payload: { seq: 1, step: 'wait', time: '', resources: [] } });
  addCommandEvent(view, { type: 'result', payload: { ok: false, error: { code: 'not_ready', message: 'no' } } });
  t.true(view.progress.accepted);
  t.is(view.progress.steps[0]?.name, 'render');
  t.deepEqual(view.evidence?.resources, []);
  t.is(view.result?.ok, false);
});
