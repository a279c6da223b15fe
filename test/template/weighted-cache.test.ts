import test from 'ava';
import { createWeightedCache } from '../../src/template/weighted-cache.ts';

const [one, two, three] = [{ number: 1 }, { number: 2 }, { number: 3 }];

test('drops the least recently used entry when the total weight exceeds the limit', (t) => {
  const cache = createWeightedCache(10);
  cache.set('a', one, 4);
  cache.set('b', two, 4);
  cache.get('a');
  cache.set('c', three, 4);
  t.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [one, undefined, three]);
});

test('keeps entries up to exactly the limit', (t) => {
  const cache = createWeightedCache(10);
  cache.set('a', one, 4);
  cache.set('b', two, 6);
  t.deepEqual([cache.get('a'), cache.get('b')], [one, two]);
});

test('keeps an entry heavier than the limit alone', (t) => {
  const cache = createWeightedCache(10);
  cache.set('a', one, 4);
  cache.set('heavy', two, 100);
  t.deepEqual([cache.get('a'), cache.get('heavy')], [undefined, two]);
  cache.set('b', three, 1);
  t.deepEqual([cache.get('heavy'), cache.get('b')], [undefined, three]);
});

test('keeps an entry without weight', (t) => {
  const cache = createWeightedCache(10);
  cache.set('', one, 0);
  t.is(cache.get(''), one);
});

test('replaces the value and the weight of an entry that is set again', (t) => {
  const cache = createWeightedCache(10);
  for (const value of [one, two, three, one, two]) cache.set('a', value, 5);
  cache.set('b', three, 5);
  t.deepEqual([cache.get('a'), cache.get('b')], [two, three]);
});
