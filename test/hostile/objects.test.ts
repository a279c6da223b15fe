import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { helmTable } from '../../src/cli/ctl/output/helm-table.ts';
import { errorOfResponse } from '../../src/kube/kube-error.ts';
import type { JsonObject } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import type { PatchSchema } from '../../src/objects/patch/patch-schema.ts';
import { threeWayPatch } from '../../src/objects/patch/strategic-merge-patch.ts';
import { withHookRuns } from '../../src/operation/state/hook-run.ts';
import { problemOf } from '../../src/readiness/diagnosis.ts';
import { webhookReadiness } from '../../src/readiness/webhooks.ts';
import type { Hook } from '../../src/release/hook.ts';
import type { Release } from '../../src/release/release.ts';
import { strategicMergePatch } from '../../src/sandbox/api/strategic-merge-patch.ts';
import { fieldsOf, leavesOf, valueFinder } from '../../src/sandbox/apply/field-set.ts';

/** Growth of the size. Linear time grows as much, quadratic time 16 times. */
const growth = 4;
/** Allows for caches, garbage collections, and a machine that does other work. */
const mostGrowth = 10;
/** Below this time, in milliseconds, no growth is measured. */
const tooShort = 40;
const attempts = 8;

/** Returns the processor time of a call, in milliseconds. */
function timeOf(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Calls a function with what `make` returns for a size, and for one that is four times it. */
function isLinear<Input>(input: string, size: number, make: (size: number) => Input, run: (input: Input) => unknown) {
  test.serial(`${input}: four times as much does not take more than linear time`, async (t) => {
    const [small, large] = [make(size), make(size * growth)];
    run(small); // compiles it
    let smallest = Infinity;
    for (let attempt = 1; attempt <= attempts && smallest > mostGrowth; attempt++) {
      await sleep(attempt);
      const time = timeOf(() => run(large));
      smallest = time < tooShort ? 1 : Math.min(smallest, time / timeOf(() => run(small)));
    }
    t.true(smallest <= mostGrowth, `takes ${smallest.toFixed(1)} times as long`);
  });
}

const schema: PatchSchema = {
  field: () => ({ strategy: 'merge', mergeKey: 'name', retainKeys: false, schema }),
};

const listOf = (size: number, value: string) => ({
  list: Array.from({ length: size }, (_, index) => ({ name: `${index}`, value })),
});

const topologyOf = (path: readonly string[]) => (path.at(-1) === 'list' ? { keys: ['name'] } : 'granular');

isLinear(
  'a list that the sandbox merges and whose owners it records',
  4000,
  (size) => {
    const [before, after] = ['a', 'b'].map((value) => listOf(size, value));
    return { before: before ?? {}, after: after ?? {} };
  },
  ({ before, after }) => {
    const merged = strategicMergePatch(before, after, topologyOf);
    const valueAt = valueFinder(merged);
    return leavesOf(fieldsOf(merged, topologyOf)).map(valueAt);
  },
);

interface Forms {
  original: JsonObject;
  modified: JsonObject;
  live: JsonObject;
}

function formsOf(make: (value: string) => JsonObject): Forms {
  return { original: make('a'), modified: make('b'), live: make('a') };
}

const patch = ({ original, modified, live }: Forms) => threeWayPatch(original, modified, live, schema);

function nested(size: number, value: string): JsonObject {
  let object: JsonObject = { value };
  for (let level = 0; level < size; level++) object = { below: object, name: 'a' };
  return object;
}

isLinear('a list that merges by key', 10_000, (size) => formsOf((value) => listOf(size, value)), patch);

isLinear(
  'a list in which all elements are replaced',
  10_000,
  (size) => ({ original: listOf(size, 'a'), modified: listOf(1, 'a'), live: listOf(size, 'a') }),
  patch,
);

isLinear(
  'many maps in each other, of which the innermost differs',
  200,
  (size) => Array.from({ length: 30 }, () => formsOf((value) => nested(size, value))),
  (all) => all.map(patch),
);

const owner = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'load', namespace: 'shop', uid: 'job' } };

function podsAndEvents(size: number) {
  const pods = Array.from({ length: size }, (_, index): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name: `p${index}`, namespace: 'shop', uid: `p${index}` },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'load', uid: 'job' }],
    },
    status: { phase: 'Pending' },
  }));
  const events = Array.from({ length: size }, (_, index): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: `e${index}`, namespace: 'shop' } },
    ...{ type: 'Warning', reason: 'FailedMount', message: 'no', lastTimestamp: '2026-01-01T00:00:00Z' },
    involvedObject: { uid: `p${index}` },
  }));
  return { replicaSets: [], pods, events };
}

isLinear('pods and their events', 4000, podsAndEvents, (around) => problemOf(owner, around));

isLinear(
  'webhooks and EndpointSlices',
  4000,
  (size) => ({
    configuration: {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
      metadata: { name: 'all' },
      webhooks: Array.from({ length: size }, (_, index) => ({
        clientConfig: { service: { name: `s${index}`, namespace: 'shop' } },
      })),
    },
    slices: Array.from({ length: size }, (_, index): KubeObject => ({
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      metadata: { name: `s${index}`, namespace: 'shop', labels: { 'kubernetes.io/service-name': `s${index}` } },
      endpoints: [{ conditions: { ready: true } }],
    })),
  }),
  ({ configuration, slices }) => webhookReadiness(configuration, slices),
);

isLinear(
  'hooks and their runs',
  5000,
  (size) => {
    const hook = { name: 'a', kind: 'Job', path: 'a.yaml', manifest: '', events: ['test'] } as unknown as Hook;
    const release = { hooks: Array.from({ length: size }, () => hook) } as unknown as Release;
    const runs = release.hooks?.map((_, index) => ({ hook: index, event: 'test', execution: {} })) as never;
    return { release, runs };
  },
  ({ release, runs }) => withHookRuns(release, runs),
);

isLinear(
  'the cells of a table',
  250_000,
  (size) => ['x\n'.repeat(size / 2), 'x'.repeat(size), '\u{1f600}'.repeat(size / 2)],
  (row) => helmTable([row, ['a', 'b', 'c']], 60),
);

isLinear('an error of the API server', 200_000, errorBody, (body) => errorOfResponse(422, body));

function errorBody(size: number): string {
  const causes = Array.from({ length: size / 100 }, () => ({ reason: 'FieldValueInvalid', field: 'a', message: 'b' }));
  return JSON.stringify({ kind: 'Status', message: 'conflict with "'.repeat(size / 10), details: { causes } });
}

test('keeps the ends of a long error of the API server, and the first fields', (t) => {
  const message = `the object is refused ${'x'.repeat(1024 * 1024)} at the end`;
  const causes = Array.from({ length: 10_000 }, () => ({ reason: 'Invalid', field: 'a', message: 'b'.repeat(5000) }));
  const error = errorOfResponse(422, JSON.stringify({ kind: 'Status', message, details: { causes } }));
  t.true(error.message.startsWith('the object is refused'));
  t.true(error.message.endsWith(' at the end'));
  t.true(error.message.length < 70_000);
  t.true(error.causes.length <= 200 && JSON.stringify(error.causes).length < 300_000);
});
