import test from 'ava';
import { failedResources, type SeenProblems, type WaitedResource } from '../../src/readiness/verdict.ts';

const graces = { grace: 60_000, crashGrace: 30_000 };

const fatal: WaitedResource = { id: 'web', problem: { code: 'image_not_found', class: 'fatal' } };
const crashed = (failures: number, id = 'web'): WaitedResource => ({
  id,
  problem: { code: 'crash_loop', class: 'likely', failures },
});
const ended = (failures: number, exit: string, running = false): WaitedResource => ({
  id: 'web',
  problem: { code: 'crash_loop', class: 'likely', failures, exit, running },
});
const unschedulable: WaitedResource = { id: 'web', problem: { code: 'unschedulable', class: 'likely' } };
const failingProbe: WaitedResource = { id: 'db', problem: { code: 'probe_failed', class: 'transient' } };
const starting: WaitedResource = { id: 'db' };

type Moment = [second: number, ...resources: WaitedResource[]];

/** Returns the second in which a wait ends and the resources that end it. */
function endOf(moments: readonly Moment[]): [number, string[]] | undefined {
  let seenProblems: SeenProblems = new Map();
  for (const [second, ...resources] of moments) {
    const verdict = failedResources(resources, seenProblems, { now: second * 1000, ...graces });
    if (verdict.ids.length > 0) return [second, verdict.ids];
    seenProblems = verdict.seenProblems;
  }
  return undefined;
}

const rows: [title: string, moments: Moment[], end: [number, string[]] | undefined][] = [
  ['a fatal problem ends it at once', [[3, fatal]], [3, ['web']]],
  ['a fatal problem ends it while others start', [[3, starting, fatal]], [3, ['web']]],
  [
    'a crash loop ends it with the first crash after the grace',
    [
      [2, crashed(1)],
      [14, crashed(2)],
      [36, crashed(3)],
      [62, crashed(3)],
      [70, crashed(3)],
      [78, crashed(4)],
    ],
    [78, ['web']],
  ],
  [
    'crashes during the grace do not',
    [
      [2, crashed(1)],
      [36, crashed(3)],
      [61, crashed(4)],
      [76, { id: 'web' }],
      [200, { id: 'web' }],
    ],
    undefined,
  ],
  [
    'a problem that lasts ends it after the grace',
    [
      [2, unschedulable],
      [61, unschedulable],
      [62, unschedulable],
    ],
    [62, ['web']],
  ],
  [
    'a crash loop waits for resources that start, even if their probes fail',
    [
      [2, crashed(1), starting],
      [78, crashed(4), failingProbe],
      [160, crashed(5), failingProbe],
      [170, crashed(5)],
      [320, crashed(6)],
    ],
    [320, ['web']],
  ],
  [
    'two crash loops do not wait for each other',
    [
      [2, crashed(1), crashed(1, 'api')],
      [62, crashed(4), crashed(4, 'api')],
      [78, crashed(5), crashed(4, 'api')],
    ],
    [78, ['web']],
  ],
  [
    'a problem that was gone for longer than the grace begins again',
    [
      [2, crashed(1)],
      [63, { id: 'web' }],
      [124, { id: 'web' }],
      [200, crashed(2)],
      [230, crashed(3)],
    ],
    undefined,
  ],
  [
    'a problem that comes and goes counts from its beginning',
    [
      [2, crashed(1)],
      [30, { id: 'web' }],
      [50, crashed(2)],
      [63, crashed(2)],
      [90, crashed(3)],
    ],
    [90, ['web']],
  ],
  [
    'pods that were replaced are counted again',
    [
      [2, crashed(5)],
      [62, crashed(5)],
      [70, crashed(1)],
      [80, crashed(2)],
    ],
    [80, ['web']],
  ],
  [
    'three failures in the same way end it after the short grace',
    [
      [2, ended(1, '1')],
      [14, ended(2, '1', true)],
      [15, ended(3, '1')],
      [31, ended(3, '1')],
      [32, ended(3, '1')],
    ],
    [32, ['web']],
  ],
  [
    'a third failure after the short grace ends it at once',
    [
      [2, ended(1, '1')],
      [31, ended(2, '1')],
      [40, { id: 'web' }],
      [50, ended(3, '1')],
    ],
    [50, ['web']],
  ],
  [
    'two failures do not, and neither do failures in different ways',
    [
      [2, ended(1, '1')],
      [14, ended(2, '1', true)],
      [33, ended(2, '1', true)],
      [36, ended(3, '137 OOMKilled')],
      [40, ended(4, '1')],
      [61, ended(4, '1')],
    ],
    undefined,
  ],
  [
    'failures of before the wait do not, before one more has been seen',
    [
      [0, ended(7, '1', true)],
      [40, ended(8, '1')],
      [59, ended(8, '1')],
    ],
    undefined,
  ],
  [
    'failures in the same way do not count while another resource starts',
    [
      [2, ended(1, '1'), starting],
      [15, ended(3, '1'), starting],
      [40, ended(3, '1')],
      [50, ended(3, '1', true)],
      [51, ended(4, '1')],
    ],
    [51, ['web']],
  ],
  [
    'the failure of a run from before the other resources were ready does not count',
    [
      [2, ended(1, '1'), starting],
      [15, ended(3, '1', true), starting],
      [35, ended(3, '1', true)],
      [36, ended(4, '1')],
      [60, ended(4, '1')],
    ],
    undefined,
  ],
  [
    'a run without a probe from before the other resources were ready does not count',
    [
      [2, ended(1, '1'), starting],
      [15, ended(3, '1'), starting],
      [30, { id: 'web' }, starting],
      [35, { id: 'web' }],
      [36, ended(4, '1')],
      [60, ended(4, '1')],
    ],
    undefined,
  ],
  [
    'the failures of a pod that was replaced do not count',
    [
      [2, ended(2, '1')],
      [20, ended(1, '1')],
      [33, ended(2, '1')],
      [50, ended(2, '1')],
    ],
    undefined,
  ],
  ['a transient problem never ends it', [2, 62, 600].map((second) => [second, failingProbe]), undefined],
];

for (const [title, moments, end] of rows) {
  test(title, (t) => {
    t.deepEqual(endOf(moments), end);
  });
}

test('says when the next grace ends', (t) => {
  const first = failedResources([unschedulable], new Map(), { now: 1000, ...graces });
  t.is(first.changesIn, 60_000);
  const second = failedResources([unschedulable], first.seenProblems, { now: 21_000, ...graces });
  t.is(second.changesIn, 40_000);
  t.is(failedResources([failingProbe], new Map(), { now: 0, ...graces }).changesIn, undefined);
});
