import test from 'ava';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { ResourceStatus } from '../../../src/operation/resource-status.ts';
import { withSince } from '../../../src/operation/wait/report.ts';

const web: ResourceStatus = { apiVersion: 'e.io/v1', kind: 'Widget', name: 'web', status: 'InProgress', reason: 'a' };
const time = (second: number) => new Date(second * 1000).toISOString();

function object(...seconds: number[]): KubeObject {
  const conditions = seconds.map((second) => ({ type: 'Ready', status: 'False', lastTransitionTime: time(second) }));
  return { apiVersion: 'e.io/v1', kind: 'Widget', metadata: { name: 'web' }, status: { conditions } };
}

const cases: [
  title: string,
  status: ResourceStatus,
  previous: ResourceStatus | undefined,
  object: KubeObject,
  since: number,
][] = [
  ['first, that of the conditions', web, undefined, object(10, 40), 40],
  ['first, and no later than now', web, undefined, object(500), 100],
  ['first, now without conditions', web, undefined, object(), 100],
  ['that of before without a change', web, { ...web, since: time(20) }, object(40), 20],
  ['now after another reason', { ...web, reason: 'b' }, { ...web, since: time(20) }, object(40), 100],
  ['now after another status', { ...web, status: 'Current' }, { ...web, since: time(20) }, object(40), 100],
  [
    'now after other counts',
    { ...web, counts: { wanted: 2, ready: 1 } },
    { ...web, counts: { wanted: 2, ready: 0 }, since: time(20) },
    object(40),
    100,
  ],
];

for (const [title, status, previous, given, since] of cases) {
  test(`the last change of a resource is ${title}`, (t) => {
    t.deepEqual(withSince(status, given, { previous, now: 100_000 }), { ...status, since: time(since) });
  });
}
