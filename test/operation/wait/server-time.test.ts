import test from 'ava';
import type { KubeObject } from '../../../src/objects/object.ts';
import { clockOffset } from '../../../src/operation/clock.ts';
import type { ResourceStatus, ResourceStatusName } from '../../../src/operation/progress.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { failFastOf } from '../../../src/operation/wait/judge.ts';
import { waitUntilReady } from '../../../src/operation/wait/ready.ts';
import { fixedHost } from '../../support/host.ts';
import { watchedCluster } from '../watched-cluster.ts';

const local = Number(fixedHost.now() / 1_000_000n);
const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' };

/** Returns the first status of a pod, by a clock that is some minutes behind that of the server. */
async function firstStatus(pod: (time: (secondsAgo: number) => string) => object, minutes: number) {
  const server = local + minutes * 60_000;
  const time = (secondsAgo: number) => new Date(server - secondsAgo * 1000).toISOString();
  const object: KubeObject = { ...ref, ...pod(time), metadata: { ...ref, uid: 'web', creationTimestamp: time(20) } };
  const watched = watchedCluster(({ kind }) => [{ type: 'snapshot', objects: kind === 'Pod' ? [object] : [] }]);
  const cluster = { ...watched, serverTime: () => ({ earliest: server - 100, latest: server + 400 }) };
  const { promise, resolve } = Promise.withResolvers<ResourceStatus | undefined>();
  const stop = new AbortController();
  const tools = {
    signal: stop.signal,
    done: () => undefined,
    skipped: () => undefined,
    report: ({ resources = [] }: { resources?: ResourceStatus[] }) => resolve(resources[0]),
  };
  const ended = waitUntilReady([{ ref }], {
    context: { cluster, tracker: createTracker(cluster), host: fixedHost, startWakeTimer: () => () => undefined },
    ...{ tools, toCompletion: ['Job'], labelled: true, failFast: failFastOf({}, 60_000) },
    settle: { settleUnprobed: 5000 },
  }).catch(() => undefined);
  const status = await promise;
  stop.abort();
  await ended;
  return status;
}

const spec = { containers: [{ name: 'app' }] };
const unscheduled = (time: string) => ({
  spec,
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: time }],
  },
});
const running = (time: string) => ({
  spec,
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }],
    containerStatuses: [{ name: 'app', state: { running: { startedAt: time } } }],
  },
});

const rows: [
  title: string,
  pod: Parameters<typeof firstStatus>[0],
  status: ResourceStatusName,
  reason: RegExp,
  age: number,
][] = [
  [
    'that was created 20 seconds ago and cannot be scheduled has failed',
    (time) => unscheduled(time(18)),
    ...(['Failed', /schedul/i, 18] as const),
  ],
  [
    'whose container has run for 2 seconds is held back',
    (time) => running(time(2)),
    ...(['InProgress', /must stay so for 5s/, 2] as const),
  ],
  ['whose container has run for 10 seconds is ready', (time) => running(time(10)), ...(['Current', /^$/, 10] as const)],
];

for (const minutes of [-5, 0, 5]) {
  for (const [title, pod, status, reason, age] of rows) {
    test(`a pod ${title}, by a clock that is ${minutes} minutes behind`, async (t) => {
      const found = await firstStatus(pod, minutes);
      t.is(found?.status, status);
      t.regex(found?.reason ?? '', reason);
      const passed = local - Date.parse(found?.since ?? '');
      t.true(Math.abs(passed - age * 1000) <= 500, `${passed}`);
    });
  }
}

const offsets: [title: string, range: [number, number] | undefined, offset: number][] = [
  ['is not known', undefined, 0],
  ['may be the same', [-200, 800], 0],
  ['is ahead', [299_900, 300_900], 299_900],
  ['is behind', [-300_900, -299_900], -299_900],
];
for (const [title, range, offset] of offsets) {
  test(`the clock of an API server that ${title} differs by ${offset} ms`, (t) => {
    const serverTime = () => range && { earliest: local + range[0], latest: local + range[1] };
    t.is(clockOffset({ host: fixedHost, cluster: { serverTime } }), offset);
  });
}
