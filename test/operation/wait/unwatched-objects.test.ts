import test from 'ava';
import { unwatchedObjects } from '../../../src/operation/wait/ready.ts';

const refs = ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name }));
const [a, b] = ['/ConfigMap/shop/a', '/ConfigMap/shop/b'] as const;

test('needs no watch if every object was current when it was written', (t) => {
  const unwatched = unwatchedObjects(refs, new Map([[a, 'current'] as const, [b, 'steady'] as const]));
  t.deepEqual([...unwatched], [a, b]);
});

test('needs a watch for all but steady objects if one was not current', (t) => {
  const third = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'c' };
  const unwatched = unwatchedObjects([...refs, third], new Map([[a, 'current'] as const, [b, 'steady'] as const]));
  t.deepEqual([...unwatched], [b]);
});

test('needs a watch for objects that another process has written', (t) => {
  t.deepEqual([...unwatchedObjects(refs, new Map())], []);
});
