import test from 'ava';
import { identityOf } from '../../../src/objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../../src/objects/object.ts';
import { type SettleOptions, stability } from '../../../src/operation/wait/judge.ts';

const ref: ObjectRef = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' };
const nothing = { replicaSets: [], pods: [], events: [] };

interface PodState {
  /** Second at which its container has started. Undefined: it does not run. */
  startedAt?: number;
  /** Seconds that the run before lasted. */
  lasted?: number;
  probe?: boolean;
}

const time = (second: number) => new Date(second * 1000).toISOString();

function pod({ startedAt, lasted, probe = false }: PodState): KubeObject {
  const terminated = { startedAt: time(10), finishedAt: time(10 + (lasted ?? 0)) };
  const status = {
    name: 'app',
    state: startedAt === undefined ? { waiting: {} } : { running: { startedAt: time(startedAt) } },
    ...(lasted !== undefined && { lastState: { terminated } }),
  };
  return {
    ...ref,
    metadata: { name: 'web', namespace: 'shop', uid: 'web' },
    spec: { containers: [{ name: 'app', ...(probe && { readinessProbe: {} }) }] },
    status: { containerStatuses: [status] },
  };
}

/** A moment: the second, the pod, and whether it is ready. Then the expected status. */
type Moment = [second: number, state: PodState, isReady: boolean, expected: 'Current' | number | 'not ready'];

const unprobed: SettleOptions = { settleUnprobed: 5000 };
const cases: [title: string, options: SettleOptions, moments: Moment[]][] = [
  ['is ready at once without options', {}, [[100, { startedAt: 99 }, true, 'Current']]],
  [
    'is held back until its container has run for the time',
    unprobed,
    [
      [100, {}, false, 'not ready'],
      [101, { startedAt: 101 }, true, 5000],
      [104, { startedAt: 101 }, true, 2000],
      [106, { startedAt: 101 }, true, 'Current'],
    ],
  ],
  ['is ready at once if its container has run for long', unprobed, [[100, { startedAt: 50 }, true, 'Current']]],
  [
    'counts a start that was seen by the own clock, if that of the node is slow',
    unprobed,
    [
      [100, {}, false, 'not ready'],
      [101, { startedAt: 20 }, true, 5000],
      [106, { startedAt: 20 }, true, 'Current'],
    ],
  ],
  [
    'counts an earlier start by the own clock, if that of the node is fast',
    unprobed,
    [
      [100, { startedAt: 300 }, true, 5000],
      [105, { startedAt: 300 }, true, 'Current'],
    ],
  ],
  [
    'starts again after a restart, and then has to run longer than before',
    unprobed,
    [
      [100, { startedAt: 100 }, true, 5000],
      [103, {}, false, 'not ready'],
      [104, { startedAt: 104, lasted: 3 }, true, 8000],
      [112, { startedAt: 104, lasted: 3 }, true, 'Current'],
    ],
  ],
  [
    'has to run for a minute at most after a restart',
    unprobed,
    [
      [100, {}, false, 'not ready'],
      [101, { startedAt: 101, lasted: 5000 }, true, 60_000],
    ],
  ],
  ['is ready at once with a probe', unprobed, [[100, { startedAt: 100, probe: true }, true, 'Current']]],
  [
    'must stay ready for the time, also with a probe',
    { settle: 10_000 },
    [
      [100, { startedAt: 1, probe: true }, true, 10_000],
      [109, { startedAt: 1, probe: true }, false, 'not ready'],
      [110, { startedAt: 1, probe: true }, true, 10_000],
      [119, { startedAt: 1, probe: true }, true, 1000],
      [120, { startedAt: 1, probe: true }, true, 'Current'],
    ],
  ],
];
for (const [title, options, moments] of cases) {
  test(`a pod ${title}`, (t) => {
    const settled = stability(options, () => nothing);
    for (const [second, state, isReady, expected] of moments) {
      const judgement = { status: { ...ref, status: isReady ? ('Current' as const) : ('InProgress' as const) } };
      const { status, changesIn } = settled(pod(state), ref, judgement, second * 1000);
      const found = !isReady ? 'not ready' : (changesIn ?? status.status);
      t.is(found, expected, `second ${second}`);
      t.is(status.status, expected === 'Current' ? 'Current' : 'InProgress');
    }
  });
}

test('a Deployment must stay ready for the time if its pods are not known', (t) => {
  const template = { spec: { containers: [{ name: 'app' }] } };
  const deployment: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'web', generation: 1 },
    spec: { template },
    status: { replicas: 1, observedGeneration: 1 },
  };
  const own = { ...ref, apiVersion: 'apps/v1', kind: 'Deployment' };
  const settled = stability(unprobed, () => nothing);
  const judge = (now: number) => settled(deployment, own, { status: { ...own, status: 'Current' } }, now);
  t.like(judge(1000), {
    changesIn: 5000,
    status: { status: 'InProgress', reason: 'ready, and must stay so for 5s' },
  });
  t.is(judge(6000).status.status, 'Current');
});

test('a Job that has completed is not held back', (t) => {
  const own = { ...ref, apiVersion: 'batch/v1', kind: 'Job' };
  const job: KubeObject = { ...own, metadata: { name: 'web', namespace: 'shop' } };
  const settled = stability({ settle: 10_000, settleUnprobed: 5000 }, () => nothing);
  t.is(settled(job, own, { status: { ...own, status: 'Current' } }, 1000).status.status, 'Current');
});

test('a changed custom resource is held back until its controller has acted, or the time is over', (t) => {
  const own: ObjectRef = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'shop', name: 'web' };
  const widget = (version: string, rest: object = {}): KubeObject => ({
    ...own,
    metadata: { name: 'web', namespace: 'shop', resourceVersion: version },
    ...rest,
  });
  const applied = new Map([[identityOf(own), '5']]);
  const judgement = { status: { ...own, status: 'Current' as const } };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };

  const settled = stability({ settleCustom: 3000 }, () => nothing, applied);
  t.like(settled(widget('5'), own, judgement, 1000), {
    changesIn: 3000,
    status: { status: 'InProgress', reason: 'its controller has not acted yet' },
  });
  t.is(settled(widget('6', { status }), own, judgement, 2000).status.status, 'Current');

  const waited = stability({ settleCustom: 3000 }, () => nothing, applied);
  t.is(waited(widget('5'), own, judgement, 1000).status.status, 'InProgress');
  t.is(waited(widget('5'), own, judgement, 4000).status.status, 'Current');

  const unchanged = stability({ settleCustom: 3000 }, () => nothing);
  t.is(unchanged(widget('5'), own, judgement, 1000).status.status, 'Current');
});
