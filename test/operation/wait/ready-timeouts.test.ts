import test from 'ava';
import { identityOf } from '../../../src/objects/group-kind.ts';
import type { ResourceStatus } from '../../../src/operation/resource-status.ts';
import { readyTimeoutCheck } from '../../../src/operation/wait/limits.ts';

function web(name: string): ResourceStatus {
  return { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name, status: 'InProgress', reason: 'slow' };
}

test('ends at the time limit of a resource that is left, and says when to check again', (t) => {
  let now = 1000;
  const timeouts = new Map([
    [identityOf(web('a')), 90_000],
    [identityOf(web('b')), 60_000],
  ]);
  const check = readyTimeoutCheck(timeouts, () => now);
  t.is(check([web('a'), web('b'), web('c')]), 60_000);
  now += 60_000;
  t.is(check([web('a'), web('c')]), 30_000);
  t.is(check([web('c')]), undefined);
  now += 30_000;
  t.throws(() => check([web('a'), web('c')]), {
    code: 'timeout',
    message:
      'not ready within its time limit of 1m30s: resource Deployment/shop/a not ready. status: InProgress, message: slow',
  });
});
