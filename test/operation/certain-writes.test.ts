import test from 'ava';
import { KubeError } from '../../src/kube/kube-error.ts';
import type { Cluster } from '../../src/objects/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { certainWrites } from '../../src/operation/certain-writes.ts';
import { watchedCluster } from './watched-cluster.ts';

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'n', annotations: { 'meta.helm.sh/release-name': 'web' } },
};
const lost = () => new KubeError('unreachable', 'connection reset');

/** Returns a cluster with some methods, and the calls to it. */
function clusterOf(methods: Partial<Cluster>): Cluster {
  return { ...watchedCluster(() => []), ...methods };
}

/** Returns a function that fails a number of times before it returns a result. */
function failing<T>(times: number, result: T, error = lost): { call: () => Promise<T>; calls: () => number } {
  let calls = 0;
  return {
    call() {
      calls += 1;
      return calls > times ? Promise.resolve(result) : Promise.reject(error());
    },
    calls: () => calls,
  };
}

test('repeats a write whose answer was lost', async (t) => {
  const apply = failing(2, object);
  const cluster = certainWrites(clusterOf({ apply: apply.call }), undefined, [1, 1]);
  t.is(await cluster.apply(object, { fieldManager: 'helm' }), object);
  t.is(apply.calls(), 3);
});

test('gives up after some attempts, and at once after a refusal', async (t) => {
  const apply = failing(9, object);
  const cluster = certainWrites(clusterOf({ apply: apply.call }), undefined, [1, 1]);
  await t.throwsAsync(cluster.apply(object, { fieldManager: 'helm' }), { code: 'unreachable' });
  t.is(apply.calls(), 3);
  let refusals = 0;
  const replace = () => {
    refusals += 1;
    return Promise.reject(new KubeError('forbidden', 'no'));
  };
  const refusing = certainWrites(clusterOf({ replace }), undefined, [1, 1]);
  await t.throwsAsync(refusing.replace(object), { code: 'forbidden' });
  t.is(refusals, 1);
});

test('looks for an object before it creates it again', async (t) => {
  const create = failing(1, object);
  const live = { ...object, metadata: { ...object.metadata, uid: '1' } };
  const found = certainWrites(clusterOf({ create: create.call, get: () => Promise.resolve(live) }), undefined, [1]);
  t.is(await found.create(object), live);
  t.is(create.calls(), 1);

  const again = failing(1, object);
  const missing = clusterOf({ create: again.call, get: () => Promise.resolve(undefined) });
  t.is(await certainWrites(missing, undefined, [1]).create(object), object);
  t.is(again.calls(), 2);
});

test('does not create an object again whose name the API server chooses', async (t) => {
  const create = failing(1, object);
  const cluster = certainWrites(clusterOf({ create: create.call }), undefined, [1]);
  const generated = { ...object, metadata: { ...object.metadata, name: '', generateName: 'a-' } };
  await t.throwsAsync(cluster.create(generated), { code: 'unreachable' });
  t.is(create.calls(), 1);
});

test('repeats a write that was refused because of another change, unless it names a version', async (t) => {
  const conflict = () => new KubeError('conflict', 'the object has been modified', { status: 409 });
  const options = { fieldManager: 'helm' };
  const apply = failing(2, object, conflict);
  t.is(await certainWrites(clusterOf({ apply: apply.call }), undefined, [1, 1]).apply(object, options), object);
  const remove = failing(1, true, conflict);
  t.true(await certainWrites(clusterOf({ delete: remove.call }), undefined, [1]).delete({ ...object, name: 'a' }));

  const patch = failing(1, object, conflict);
  const patching = certainWrites(clusterOf({ mergePatch: patch.call }), undefined, [1]);
  const version = { metadata: { resourceVersion: '1' } };
  await t.throwsAsync(patching.mergePatch({ ...object, name: 'a' }, version), { code: 'conflict' });
  const owned = () =>
    new KubeError('conflict', 'owned', { causes: [{ reason: 'FieldManagerConflict', message: '', field: '.data' }] });
  const fields = failing(1, object, owned);
  const applying = certainWrites(clusterOf({ apply: fields.call }), undefined, [1]);
  await t.throwsAsync(applying.apply(object, options), { message: 'owned' });
});

test('repeats a write after an error of the API server', async (t) => {
  const apply = failing(1, object, () => new KubeError('server_error', 'etcdserver: leader changed', { status: 500 }));
  const cluster = certainWrites(clusterOf({ apply: apply.call }), undefined, [1]);
  t.is(await cluster.apply(object, { fieldManager: 'helm' }), object);
});

test('does not take the object of another release for the one that it has created', async (t) => {
  const other = { ...object, metadata: { ...object.metadata, annotations: { 'meta.helm.sh/release-name': 'other' } } };
  let calls = 0;
  const create = () => {
    calls += 1;
    return Promise.reject(calls === 1 ? lost() : new KubeError('already_exists', 'a exists'));
  };
  const cluster = certainWrites(clusterOf({ create, get: () => Promise.resolve(other) }), undefined, [1]);
  await t.throwsAsync(cluster.create(object), { code: 'already_exists' });
});

test('an object that is gone after a lost answer counts as deleted', async (t) => {
  const remove = failing(1, false);
  const cluster = certainWrites(clusterOf({ delete: remove.call }), undefined, [1]);
  t.true(await cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' }));
});

test('a write that was sent is answered although it is cancelled', async (t) => {
  const cancel = new AbortController();
  const answer = Promise.withResolvers<KubeObject>();
  const signals: (AbortSignal | undefined)[] = [];
  const apply: Cluster['apply'] = (_, { signal }) => {
    signals.push(signal);
    return answer.promise;
  };
  const cluster = certainWrites(clusterOf({ apply }), undefined);
  const applied = cluster.apply(object, { fieldManager: 'helm', signal: cancel.signal });
  cancel.abort(new Error('asked to stop'));
  t.deepEqual(
    signals.map((signal) => signal?.aborted),
    [false],
  );
  answer.resolve(object);
  t.is(await applied, object);
  await t.throwsAsync(cluster.apply(object, { fieldManager: 'helm', signal: cancel.signal }), {
    message: 'asked to stop',
  });
  t.is(signals.length, 1);
});

test('ends a write at once if the process ends', async (t) => {
  const abandon = new AbortController();
  const apply: Cluster['apply'] = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  const cluster = certainWrites(clusterOf({ apply }), abandon.signal);
  const signal = new AbortController().signal;
  const applied = cluster.apply(object, { fieldManager: 'helm', signal });
  abandon.abort(new Error('going down'));
  await t.throwsAsync(applied, { message: 'going down' });
});
