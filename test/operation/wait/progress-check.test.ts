import test from 'ava';
import type { ResourceStatus } from '../../../src/operation/resource-status.ts';
import { progressCheck } from '../../../src/operation/wait/limits.ts';

function web(name: string, updated = 0, ready = 0): ResourceStatus {
  const counts = { wanted: 3, updated, ready };
  return { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name, status: 'InProgress', counts };
}

const cases: [title: string, moments: [second: number, remaining: ResourceStatus[], left: number | 'ended'][]][] = [
  [
    'slides while pods become ready',
    [
      [0, [web('a')], 120],
      [100, [web('a', 1)], 120],
      [200, [web('a', 1, 1)], 120],
      [300, [web('a', 1, 1)], 20],
      [320, [web('a', 1, 1)], 'ended'],
    ],
  ],
  [
    'slides when a resource becomes ready',
    [
      [0, [web('a'), web('b')], 120],
      [100, [web('a')], 120],
      [220, [web('a')], 'ended'],
    ],
  ],
  [
    'does not slide for a resource that flaps',
    [
      [0, [web('a', 1, 1), web('b')], 120],
      [50, [web('a', 1), web('b')], 70],
      [100, [web('a', 1, 1), web('b')], 20],
      [120, [web('a', 1), web('b')], 'ended'],
    ],
  ],
];
for (const [title, moments] of cases) {
  test(`a progress deadline ${title}`, (t) => {
    let now = 0;
    const check = progressCheck(120_000, () => now);
    for (const [second, remaining, left] of moments) {
      now = second * 1000;
      if (left === 'ended') {
        t.throws(() => check(remaining), {
          code: 'timeout',
          message: /^no progress for 2m0s\nresource Deployment\/shop\/a/,
        });
      } else t.is(check(remaining), left * 1000, `second ${second}`);
    }
  });
}
