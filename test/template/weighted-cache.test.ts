import test from 'ava';
import { createWeightedCache } from '../../src/template/weighted-cache.ts';

test('what was used longest ago goes first where the weight is too much', (t) => {
  const cache = createWeightedCache<number>(10);
  cache.set('a', 1, 4);
  cache.set('b', 2, 4);
  cache.get('a');
  cache.set('c', 3, 4);
  t.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3]);
});

test('one thing that weighs more than the limit is kept alone', (t) => {
  const cache = createWeightedCache<number>(10);
  cache.set('a', 1, 4);
  cache.set('heavy', 2, 100);
  t.deepEqual([cache.get('a'), cache.get('heavy')], [undefined, 2]);
  cache.set('b', 3, 1);
  t.deepEqual([cache.get('heavy'), cache.get('b')], [undefined, 3]);
});

test('a thing that is set again counts once', (t) => {
  const cache = createWeightedCache<number>(10);
  for (let i = 0; i < 5; i++) cache.set('a', i, 5);
  cache.set('b', 9, 5);
  t.deepEqual([cache.get('a'), cache.get('b')], [4, 9]);
});
