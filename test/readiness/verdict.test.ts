import test from 'ava';
import { hopeless, type Suspicions, type WaitedResource } from '../../src/readiness/verdict.ts';

const grace = 60_000;

const fatal: WaitedResource = { id: 'web', problem: { code: 'image_not_found', class: 'fatal' } };
const crashed = (failures: number, id = 'web'): WaitedResource => ({
  id,
  problem: { code: 'crash_loop', class: 'likely', failures },
});
const unschedulable: WaitedResource = { id: 'web', problem: { code: 'unschedulable', class: 'likely' } };
const failingProbe: WaitedResource = { id: 'db', problem: { code: 'probe_failed', class: 'transient' } };
const starting: WaitedResource = { id: 'db' };

type Moment = [second: number, ...resources: WaitedResource[]];

/** Returns the second in which a wait ends and the resources that end it. */
function endOf(moments: readonly Moment[]): [number, string[]] | undefined {
  let suspicions: Suspicions = new Map();
  for (const [second, ...resources] of moments) {
    const verdict = hopeless(resources, suspicions, { now: second * 1000, grace });
    if (verdict.ids.length > 0) return [second, verdict.ids];
    suspicions = verdict.suspicions;
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
  ['a transient problem never ends it', [2, 62, 600].map((second) => [second, failingProbe]), undefined],
];

for (const [title, moments, end] of rows) {
  test(title, (t) => {
    t.deepEqual(endOf(moments), end);
  });
}

test('says when the next grace ends', (t) => {
  const first = hopeless([unschedulable], new Map(), { now: 1000, grace });
  t.is(first.changesIn, grace);
  const second = hopeless([unschedulable], first.suspicions, { now: 21_000, grace });
  t.is(second.changesIn, 40_000);
  t.is(hopeless([failingProbe], new Map(), { now: 0, grace }).changesIn, undefined);
});
