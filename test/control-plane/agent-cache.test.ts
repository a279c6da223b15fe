import test from 'ava';
import { agentCache } from '../../src/control-plane/agent-cache.ts';

test('keeps the agents that were used last', (t) => {
  const cache = agentCache<string>(3);
  for (const agentId of ['a', 'b', 'c']) cache.set(agentId, agentId);
  cache.get('a');
  cache.set('b', 'changed');
  cache.set('d', 'd');
  cache.set('d', 'd');
  t.deepEqual([...cache.keys()].sort(), ['a', 'b', 'd']);
  t.is(cache.get('b'), 'changed');
});

test('takes memory for the agents that it has, not for all that it may have', (t) => {
  t.is(agentCache<string>(2 ** 40).size, 0); // lru-cache could not allocate this
});
