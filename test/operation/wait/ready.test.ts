import test from 'ava';
import type { ObjectQuery } from '../../../src/objects/cluster.ts';
import type { KubeObject, ObjectRef } from '../../../src/objects/object.ts';
import type { SeenObject } from '../../../src/operation/apply/seen-object.ts';
import { OperationError } from '../../../src/operation/error.ts';
import type { ResourceStatus } from '../../../src/operation/progress.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { failFastOf } from '../../../src/operation/wait/judge.ts';
import { waitUntilReady } from '../../../src/operation/wait/ready.ts';
import { steppingHost } from '../../support/host.ts';
import { type Script, watchedCluster } from '../watched-cluster.ts';

const namespace = 'shop';

function ref(kind: string, name: string): ObjectRef {
  return { apiVersion: kind === 'Job' ? 'batch/v1' : kind === 'Deployment' ? 'apps/v1' : 'v1', kind, namespace, name };
}

function object(kind: string, name: string, rest: object = {}): KubeObject {
  const { apiVersion } = ref(kind, name);
  return { apiVersion, kind, metadata: { name, namespace, uid: name }, ...rest };
}

const completed = object('Job', 'load', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
const bound = { status: { phase: 'Bound' } };
const forbidden = (what: string) => Object.assign(new Error(`${what} is forbidden`), { code: 'forbidden' });

async function wait(
  refs: (ObjectRef | SeenObject)[],
  script: (query: ObjectQuery) => Script,
  { limit = 2000, unwatched = new Set<string>() } = {},
) {
  const cluster = watchedCluster(script);
  const reports: { message?: string; resources?: ResourceStatus[] }[] = [];
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new OperationError('timeout', 'timed out')), limit);
  const tools = {
    signal: controller.signal,
    done: () => undefined,
    skipped: () => undefined,
    report: (update: (typeof reports)[number]) => void reports.push(update),
  };
  let error: unknown;
  try {
    const objects = refs.map((one) => ('ref' in one ? one : { ref: one }));
    const context = { tracker: createTracker(cluster), host: steppingHost() };
    const failFast = failFastOf({}, limit);
    await waitUntilReady(objects, { context, tools, toCompletion: ['Job'], labelled: true, unwatched, failFast });
  } catch (caught) {
    error = caught;
  } finally {
    clearTimeout(timer);
  }
  const statuses = reports.map(({ resources = [] }) => resources.map(({ name, status }) => `${name} ${status}`));
  return { error, reports, statuses, queries: cluster.queries };
}

test('counts a completed Job as ready after its time to live deletes it', async (t) => {
  const { error, statuses } = await wait([ref('Job', 'load'), ref('PersistentVolumeClaim', 'data')], ({ kind }) =>
    kind === 'Job'
      ? [
          { type: 'snapshot', objects: [completed] },
          { type: 'deleted', object: completed },
        ]
      : [
          { type: 'snapshot', objects: [object(kind, 'data')] },
          { type: 'changed', object: object(kind, 'data') },
          { type: 'changed', object: object(kind, 'data') },
          { type: 'changed', object: object(kind, 'data', bound) },
        ],
  );
  t.is(error, undefined);
  t.deepEqual(statuses, [['load Current', 'data InProgress'], ['data Current']]);
});

test('watches all objects of a kind by the label of Helm, and Jobs with those of hooks', async (t) => {
  const refs = [
    ref('ConfigMap', 'a'),
    ref('PersistentVolumeClaim', 'b'),
    ref('PersistentVolumeClaim', 'c'),
    ref('Job', 'load'),
  ];
  const { error, queries } = await wait(refs, ({ kind }) => [
    {
      type: 'snapshot',
      objects:
        kind === 'Job'
          ? [completed]
          : refs.filter((one) => one.kind === kind).map(({ name }) => object(kind, name, bound)),
    },
  ]);
  const labelSelector = 'app.kubernetes.io/managed-by=Helm';
  t.is(error, undefined);
  t.deepEqual(queries, [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace, labelSelector },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, labelSelector },
    { apiVersion: 'batch/v1', kind: 'Job', namespace },
  ]);
});

test('reports an object that is missing after a gap in the watch', async (t) => {
  const claim = object('PersistentVolumeClaim', 'data');
  const { error, statuses } = await wait([ref('PersistentVolumeClaim', 'data')], () => [
    { type: 'snapshot', objects: [claim] },
    { type: 'snapshot', objects: [] },
    { type: 'snapshot', objects: [{ ...claim, ...bound }] },
  ]);
  t.is(error, undefined);
  t.deepEqual(statuses, [['data InProgress'], ['data NotFound'], ['data Current']]);
});

test('fails if the API server refuses to watch a kind', async (t) => {
  const { error } = await wait([ref('ConfigMap', 'a')], () => [forbidden('configmaps')]);
  t.like(error, { code: 'forbidden', message: 'configmaps is forbidden' });
});

test('continues without reasons if the API server refuses to watch pods', async (t) => {
  const web = (status: object) =>
    object('Deployment', 'web', { spec: { selector: { matchLabels: { app: 'web' } } }, status });
  const ready = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const { error, reports, queries } = await wait([ref('Deployment', 'web')], ({ kind }) => {
    if (kind === 'Pod') return [forbidden('pods')];
    if (kind !== 'Deployment') return [{ type: 'snapshot', objects: [] }];
    const waiting: Script = Array.from({ length: 20 }, () => ({ type: 'changed', object: web({}) }));
    const conditions = [{ type: 'Available', status: 'True' }];
    return [
      { type: 'snapshot', objects: [web({})] },
      ...waiting,
      { type: 'changed', object: web({ ...ready, conditions }) },
    ];
  });
  t.is(error, undefined);
  t.deepEqual(
    reports.flatMap(({ message }) => message ?? []),
    ['reasons may be missing: pods is forbidden'],
  );
  t.deepEqual(
    queries.map(({ kind, labelSelector, fieldSelector }) => [kind, labelSelector ?? fieldSelector]),
    [
      ['Deployment', 'app.kubernetes.io/managed-by=Helm'],
      ['ReplicaSet', undefined],
      ['Pod', undefined],
      ['Event', undefined],
    ],
  );
});

test('names all resources that are not ready at the deadline, with reasons', async (t) => {
  const refs = [ref('PersistentVolumeClaim', 'data'), ref('Job', 'load'), ref('ConfigMap', 'a')];
  const { error } = await wait(
    refs,
    ({ kind }) =>
      kind === 'Job' ? [] : [{ type: 'snapshot', objects: [object(kind, kind === 'ConfigMap' ? 'a' : 'data')] }],
    { limit: 200 },
  );
  t.like(error, {
    code: 'timeout',
    message: `timed out
resource PersistentVolumeClaim/shop/data not ready. status: InProgress, message: PVC is not Bound. phase: unknown
resource Job/shop/load not ready. status: Unknown, message: not seen yet`,
  });
});

test('returns at once if there are no objects', async (t) => {
  const { error, queries } = await wait([], () => []);
  t.is(error, undefined);
  t.deepEqual(queries, []);
});

test('does not watch the objects that are known to be ready, but reports them', async (t) => {
  const refs = [ref('ConfigMap', 'a'), ref('PersistentVolumeClaim', 'b')];
  const unwatched = new Set(['/ConfigMap/shop/a']);
  const { error, queries, statuses } = await wait(
    refs,
    () => [{ type: 'snapshot', objects: [object('PersistentVolumeClaim', 'b', bound)] }],
    { unwatched },
  );
  t.is(error, undefined);
  t.deepEqual(
    queries.map(({ kind }) => kind),
    ['PersistentVolumeClaim'],
  );
  t.deepEqual(statuses, [['a Current', 'b Current']]);
});

test('watches an object by its name if the API server refuses to watch all of its kind', async (t) => {
  const { error, queries } = await wait([ref('ConfigMap', 'a'), ref('ConfigMap', 'b')], ({ kind, fieldSelector }) =>
    fieldSelector === undefined
      ? [forbidden('configmaps')]
      : [{ type: 'snapshot', objects: [object(kind, fieldSelector.replace('metadata.name=', ''))] }],
  );
  t.is(error, undefined);
  t.deepEqual(
    queries.map(({ fieldSelector }) => fieldSelector),
    [undefined, 'metadata.name=a', 'metadata.name=b'],
  );
});

/** Returns a claim in a version. */
function claim(resourceVersion: string, rest: object = bound): KubeObject {
  const { metadata, ...fields } = object('PersistentVolumeClaim', 'data', rest);
  return { ...fields, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { ...metadata, resourceVersion } };
}

const seenClaim: SeenObject = { ref: ref('PersistentVolumeClaim', 'data'), uid: 'data', resourceVersion: '12' };

test('shows no state that is older than the one after the apply', async (t) => {
  const { error, statuses } = await wait([seenClaim], () => [
    { type: 'snapshot', objects: [claim('10')], resourceVersion: '11' },
    { type: 'changed', object: claim('12', {}) },
    { type: 'changed', object: claim('13') },
  ]);
  t.is(error, undefined);
  t.deepEqual(statuses, [['data InProgress'], ['data Current']]);
});

test('an object that its watch does not show yet is not missing', async (t) => {
  const { error, statuses } = await wait([seenClaim], () => [
    { type: 'snapshot', objects: [], resourceVersion: '11' },
    { type: 'changed', object: claim('12') },
  ]);
  t.is(error, undefined);
  t.deepEqual(statuses, [['data Current']]);
});

test('an object that its watch does not show gets a watch of its own', async (t) => {
  const other = { ...claim('11'), metadata: { ...claim('11').metadata, name: 'other' } };
  const { error, queries } = await wait([seenClaim], ({ fieldSelector }) =>
    fieldSelector === undefined
      ? [
          { type: 'snapshot', objects: [], resourceVersion: '10' },
          { type: 'changed', object: other },
        ]
      : [{ type: 'snapshot', objects: [claim('12')], resourceVersion: '12' }],
  );
  t.is(error, undefined);
  t.is(queries.at(-1)?.fieldSelector, 'metadata.name=data');
});

const lost = [
  { title: 'before the wait', shared: [{ type: 'snapshot', objects: [], resourceVersion: '13' }] },
  {
    title: 'during the wait',
    shared: [
      { type: 'snapshot', objects: [claim('12', {})], resourceVersion: '12' },
      { type: 'deleted', object: claim('13', {}) },
    ],
  },
] satisfies { title: string; shared: Script }[];

for (const { title, shared } of lost) {
  test(`an object whose label was overwritten ${title} gets a watch of its own`, async (t) => {
    const { error, statuses, queries } = await wait([seenClaim], ({ fieldSelector }) =>
      fieldSelector === undefined ? shared : [{ type: 'snapshot', objects: [claim('14')], resourceVersion: '14' }],
    );
    t.is(error, undefined);
    t.false(statuses.flat().includes('data NotFound'));
    t.deepEqual(
      queries.flatMap(({ kind, labelSelector, fieldSelector }) =>
        kind === 'PersistentVolumeClaim' ? (labelSelector ?? fieldSelector) : [],
      ),
      ['app.kubernetes.io/managed-by=Helm', 'metadata.name=data'],
    );
  });
}

test('an object that was deleted after the apply is missing', async (t) => {
  const { statuses } = await wait([seenClaim], () => [{ type: 'snapshot', objects: [], resourceVersion: '14' }], {
    limit: 300,
  });
  t.deepEqual(statuses, [['data NotFound']]);
});

const deployment = object('Deployment', 'web', { spec: { selector: { matchLabels: { app: 'web' } } } });

/** A Deployment whose pod waits with a reason. */
function waitingPod(reason: string, more: ObjectRef[] = []) {
  const owner = (kind: string, name: string) => [{ apiVersion: 'apps/v1', kind, name, uid: name }];
  const replicaSet = object('ReplicaSet', 'web-1', {});
  const pod = object('Pod', 'web-1-x', {
    status: { containerStatuses: [{ name: 'app', state: { waiting: { reason, message: 'text' } } }] },
  });
  return ({ kind }: ObjectQuery): Script => {
    const objects = {
      Deployment: [deployment],
      ReplicaSet: [
        { ...replicaSet, metadata: { ...replicaSet.metadata, ownerReferences: owner('Deployment', 'web') } },
      ],
      Pod: [{ ...pod, metadata: { ...pod.metadata, ownerReferences: owner('ReplicaSet', 'web-1') } }],
    }[kind];
    return [
      {
        type: 'snapshot',
        objects: objects ?? more.filter((one) => one.kind === kind).map(({ name }) => object(kind, name)),
      },
    ];
  };
}

test('ends at once with a problem that cannot heal, and says which one', async (t) => {
  const { error, reports } = await wait([ref('Deployment', 'web')], waitingPod('InvalidImageName'));
  const message =
    'resource Deployment/shop/web not ready. status: InProgress, message: InvalidImageName: text (container app of pod web-1-x)';
  t.like(error, { code: 'not_ready', message });
  const problems = reports.flatMap(({ resources = [] }) => resources.map(({ problem }) => problem));
  t.deepEqual(problems.at(-1), { code: 'image_name_invalid', class: 'fatal' });
});

test('waits for a Job that may create a missing Secret', async (t) => {
  const job = ref('Job', 'load');
  const refs = [ref('Deployment', 'web'), job];
  const missing = 'CreateContainerConfigError';
  t.like((await wait(refs, waitingPod(missing, [job]), { limit: 300 })).error, { code: 'timeout' });
  t.like((await wait(refs.slice(0, 1), waitingPod(missing))).error, { code: 'not_ready' });
});
