import test from 'ava';
import type { Progress } from '../../src/operation/progress.ts';
import { type Status, statusSchema } from '../../src/protocol/messages.ts';

test('the progress of an operation is a valid status packet', (t) => {
  const progress: Progress = {
    step: 'wait',
    state: 'running',
    time: '2026-01-02T03:04:05.678Z',
    message: '1 of 2 ready',
    resources: [
      { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'b', status: 'Failed', reason: 'CrashLoopBackOff' },
    ],
  };
  const status: Status = { seq: 1, ...progress };
  t.deepEqual(statusSchema.parse(JSON.parse(JSON.stringify(status))), status);
});
