import test from 'ava';
import { mergeStatuses } from '../../../src/agent/connection/merge-statuses.ts';
import type { Status } from '../../../src/protocol/messages.ts';

const status = (rest: Partial<Status>) => ({
  ...({ kind: 'status', key: 'k', type: 'watch_release' } as const),
  payload: JSON.stringify({ seq: 1, step: 'watch', state: 'running', time: '', ...rest }),
});
const merged = (older: Partial<Status>, newer: Partial<Status>) =>
  JSON.parse(mergeStatuses(status(older), status(newer)).payload) as Status;
const named = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });
const drift = (name: string, change: 'changed' | 'none') => ({ ...named(name), change });
const object = (name: string, data = '') => ({
  ...({ change: 'changed', status: 'Current' } as const),
  object: { kind: 'ConfigMap', metadata: { name }, data },
});

test('keeps what differs of objects that the newer status does not have', (t) => {
  const { drift: found } = merged(
    { drift: [drift('a', 'changed'), drift('b', 'changed')] },
    { drift: [drift('a', 'none')] },
  );
  t.deepEqual(found, [drift('b', 'changed'), drift('a', 'none')]);
  t.deepEqual(merged({ drift: [drift('a', 'changed')] }, {}).drift, [drift('a', 'changed')]);
});

test('keeps the newest of as many objects as a packet has', (t) => {
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => drift(`${prefix}${index}`, 'changed'));
  const { drift: found = [] } = merged({ drift: many(20, 'a') }, { drift: many(5, 'b') });
  t.is(found.length, 20);
  t.deepEqual(found.at(-1), drift('b4', 'changed'));
});

test('merged objects that are followed stay below the size of a packet, and the newest is kept', (t) => {
  const large = 'x'.repeat(300_000);
  const names = (found: Status['objects'] = []) =>
    found.map(({ object: { metadata } }) => (metadata as { name: string }).name);
  const [older, newer] = [
    ['a', 'b', 'c'],
    ['d', 'a'],
  ].map((list) => list.map((name) => object(name, large)));
  t.deepEqual(names(merged({ objects: older }, { objects: newer }).objects), ['c', 'd', 'a']);
  t.deepEqual(names(merged({ objects: [object('a')] }, { objects: [object('b')] }).objects), ['a', 'b']);
  t.deepEqual(names(merged({}, { objects: [object('b', 'x'.repeat(2_000_000))] }).objects), ['b']);
});

test('statuses of different steps are not merged', (t) => {
  t.is(merged({ step: 'apply', drift: [drift('a', 'changed')] }, {}).drift, undefined);
});
