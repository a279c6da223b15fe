import test from 'ava';
import type { Cluster, ListQuery } from '../../../src/objects/cluster.ts';
import type { KubeObject, ObjectRef } from '../../../src/objects/object.ts';
import { readObjects } from '../../../src/operation/apply/read-objects.ts';

const never = new AbortController().signal;

function ref(kind: string, name: string, namespace = 'shop'): ObjectRef {
  return { apiVersion: 'v1', kind, namespace, name };
}

/** Has the ConfigMaps and Secrets of these names in each namespace. Notes its requests. */
function clusterOf(names: readonly string[], refuse?: string): { cluster: Cluster; requests: string[] } {
  const requests: string[] = [];
  const object = ({ kind, namespace = '' }: ListQuery, name: string): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace, uid: name },
  });
  const cluster = {
    get(one: ObjectRef) {
      requests.push(`get ${one.kind} ${one.name}`);
      return Promise.resolve(names.includes(one.name) ? object(one, one.name) : undefined);
    },
    list(query: ListQuery) {
      requests.push(`list ${query.kind} ${query.namespace ?? ''} ${query.metadataOnly === true ? 'metadata' : 'all'}`);
      if (refuse !== undefined) return Promise.reject(Object.assign(new Error('no'), { code: refuse }));
      return Promise.resolve(names.slice(0, query.most).map((name) => object(query, name)));
    },
  };
  return { cluster: cluster as unknown as Cluster, requests }; // the other methods are not called
}

const many = ['a', 'b', 'c', 'd'];

test('reads a few objects of a kind by their names', async (t) => {
  const { cluster, requests } = clusterOf(['a', 'b']);
  const refs = [ref('ConfigMap', 'a'), ref('ConfigMap', 'x'), ref('Secret', 'b')];
  const found = await readObjects(cluster, refs, { signal: never });
  t.deepEqual([...found.keys()].sort(), ['/ConfigMap/shop/a', '/Secret/shop/b']);
  t.deepEqual(requests, ['get ConfigMap a', 'get ConfigMap x', 'get Secret b']);
});

test('reads many objects of a kind in a namespace by one list', async (t) => {
  const { cluster, requests } = clusterOf(['a', 'c', 'other']);
  const refs = [...many.map((name) => ref('ConfigMap', name)), ref('ConfigMap', 'a', 'bar')];
  const found = await readObjects(cluster, refs, { signal: never, metadataOnly: true });
  t.deepEqual([...found.keys()].sort(), ['/ConfigMap/bar/a', '/ConfigMap/shop/a', '/ConfigMap/shop/c']);
  t.deepEqual(requests, ['list ConfigMap shop metadata', 'get ConfigMap a']);
});

test('reads the objects by their names that a list of many others does not reach', async (t) => {
  const others = Array.from({ length: 1000 }, (_, index) => `_${index}`);
  const { cluster, requests } = clusterOf(['a', ...others, 'd']);
  const found = await readObjects(
    cluster,
    many.map((name) => ref('ConfigMap', name)),
    { signal: never },
  );
  t.deepEqual([...found.keys()].sort(), ['/ConfigMap/shop/a', '/ConfigMap/shop/d']);
  t.deepEqual(requests, ['list ConfigMap shop all', 'get ConfigMap b', 'get ConfigMap c', 'get ConfigMap d']);
});

for (const code of ['forbidden', 'bad_request']) {
  test(`reads the objects by their names if a list is refused as ${code}`, async (t) => {
    const { cluster } = clusterOf(['a'], code);
    const found = await readObjects(
      cluster,
      many.map((name) => ref('ConfigMap', name)),
      { signal: never },
    );
    t.deepEqual([...found.keys()], ['/ConfigMap/shop/a']);
  });
}

test('fails if a list fails', async (t) => {
  const { cluster } = clusterOf(['a'], 'unreachable');
  const refs = many.map((name) => ref('ConfigMap', name));
  await t.throwsAsync(readObjects(cluster, refs, { signal: never }), { code: 'unreachable' });
});
