import test from 'ava';
import { rolloutReader } from '../../../src/dashboard/pages/rollout-reader.ts';
import type { Rollout } from '../../../src/dashboard/server/types.ts';

function rollout(id: string, createdAt: string, phase = 'running') {
  return { id, createdAt, phase } as Rollout;
}

test('rollouts are shown when all of them have arrived, the newest first, and change in their place', (t) => {
  const reader = rolloutReader();
  const read = (type: string, payload: object) => reader.read({ id: '1', type, payload });
  read('rollouts', { rollouts: [rollout('a', '1'), rollout('b', '2')] });
  t.is(reader.value(), undefined);
  read('ready', {});
  read('rollouts', { rollouts: [rollout('a', '1', 'paused')] });
  t.deepEqual(
    reader.value()?.map(({ id, phase }) => `${id} ${phase}`),
    ['b running', 'a paused'],
  );
});

test('a rollout that is deleted is gone, and another one with its id is the newest', (t) => {
  const reader = rolloutReader();
  const read = (type: string, payload: object) => reader.read({ id: '1', type, payload });
  read('rollouts', { rollouts: [rollout('a', '1'), rollout('b', '2'), rollout('c', '3')] });
  read('ready', {});
  read('forgotten', { ids: ['b'] });
  read('rollouts', { rollouts: [rollout('a', '4')] });
  t.deepEqual(
    reader.value()?.map(({ id }) => id),
    ['a', 'c'],
  );
});
