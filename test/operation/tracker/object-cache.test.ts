import test from 'ava';
import type { ObservedChange } from '../../../src/objects/cluster.ts';
import type { KubeObject, ObjectMeta } from '../../../src/objects/object.ts';
import { maxEvents, ObjectCache } from '../../../src/operation/tracker/object-cache.ts';

function pod(name: string, resourceVersion: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid: name, resourceVersion, ...metadata },
  };
}

function cacheWith(...changes: ObservedChange[]): ObjectCache {
  const cache = new ObjectCache();
  for (const change of changes) cache.add(change);
  return cache;
}

const snapshot = (resourceVersion: string, ...objects: KubeObject[]): ObservedChange => ({
  type: 'snapshot',
  objects,
  resourceVersion,
});
const changed = (object: KubeObject): ObservedChange => ({ type: 'changed', object });
const deleted = (object: KubeObject): ObservedChange => ({ type: 'deleted', object });

const ref = { namespace: 'shop', name: 'a' };

const cases: [title: string, changes: ObservedChange[], version: string | undefined, collection: string][] = [
  ['keeps the newest version', [snapshot('1'), changed(pod('a', '2')), changed(pod('a', '3'))], '3', '3'],
  ['drops a version that arrives late', [snapshot('1'), changed(pod('a', '3')), changed(pod('a', '2'))], '3', '3'],
  ['adds an object that arrives late', [snapshot('1'), changed(pod('b', '3')), changed(pod('a', '2'))], '2', '3'],
  ['deletes an object', [snapshot('2', pod('a', '2')), deleted(pod('a', '3'))], undefined, '3'],
  [
    'does not bring back a deleted object with a version that arrives late',
    [snapshot('2', pod('a', '2')), deleted(pod('a', '4')), changed(pod('a', '3'))],
    undefined,
    '4',
  ],
  [
    'keeps an object that took the name of a deleted one',
    [snapshot('2', pod('a', '2')), changed(pod('a', '5', { uid: 'new' })), deleted(pod('a', '4'))],
    '5',
    '5',
  ],
  ['replaces all objects with a newer list', [snapshot('2', pod('a', '2')), snapshot('7')], undefined, '7'],
  [
    'ignores a list of an API server that lags behind',
    [snapshot('2'), changed(pod('a', '5')), snapshot('4')],
    '5',
    '5',
  ],
];
for (const [title, changes, version, collection] of cases) {
  test(title, (t) => {
    const cache = cacheWith(...changes);
    t.is(cache.find(ref)?.metadata.resourceVersion, version);
    t.is(cache.resourceVersion, collection);
  });
}

test('is listed after the first list, and says what a change has touched', (t) => {
  const owned = (version: string, uid: string) =>
    pod('a', version, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid }] });
  const cache = new ObjectCache();
  t.false(cache.isListed);
  t.is(cache.add(snapshot('2', owned('2', 'one'))), 'all');
  t.true(cache.isListed);
  const { namespace = '', name } = owned('2', 'one').metadata;
  const key = `${namespace}/${name}`;
  t.deepEqual(cache.add(changed(owned('3', 'two'))), { key, uids: ['one', 'two'] });
  t.is(cache.add(changed(owned('2', 'one'))), undefined, 'it is older');
});

test('finds objects by their owners, and events by what they are about', (t) => {
  const owned = (name: string, version: string, uid: string) =>
    pod(name, version, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid }] });
  const event = { ...pod('e', '3'), kind: 'Event', involvedObject: { uid: 'a' } };
  const cache = cacheWith(snapshot('3', owned('a', '1', 'one'), owned('b', '2', 'one'), event));
  const names = (uid: string | undefined) => [...cache.relatedTo(uid)].map(({ metadata }) => metadata.name);
  t.deepEqual(names('one'), ['a', 'b']);
  t.deepEqual(names('a'), ['e']);
  cache.add(changed(owned('a', '4', 'two')));
  cache.add(deleted(owned('b', '5', 'one')));
  t.deepEqual(names('one'), []);
  t.deepEqual(names('two'), ['a']);
  t.deepEqual(names(undefined), []);
});

test('keeps no managed fields, no last applied configuration, and no contents of Secrets', (t) => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'shop' };
  const secret = { ...pod('a', '1', { managedFields: [{}], annotations }), kind: 'Secret', data: { key: 'dmFsdWU=' } };
  const cache = cacheWith(snapshot('1', secret));
  const metadata = { ...pod('a', '1').metadata, annotations: { team: 'shop' } };
  t.deepEqual(cache.find(ref), { apiVersion: 'v1', kind: 'Secret', metadata });
});

test('keeps all fields of an object whose kind is named like a member of objects', (t) => {
  const object = { ...pod('a', '1'), kind: 'constructor', spec: { size: 1 } };
  t.like(cacheWith(snapshot('1', object)).find(ref), { kind: 'constructor', spec: { size: 1 } });
});

function event(version: number): KubeObject {
  const metadata = { name: `a.${version}`, namespace: 'shop', uid: `event-${version}`, resourceVersion: `${version}` };
  return { apiVersion: 'v1', kind: 'Event', metadata, involvedObject: { uid: `pod-${version % 2}` } };
}

const isKept = (cache: ObjectCache, version: number) =>
  cache.find(event(version).metadata) !== undefined &&
  [...cache.relatedTo(`pod-${version % 2}`)].some(({ metadata }) => metadata.resourceVersion === `${version}`);

const eventsBefore = 10;
const allEvents = Array.from({ length: maxEvents + 2 }, (_, index) => event(index + eventsBefore));
const newest = eventsBefore + maxEvents + 1;

test('keeps the newest events that a list has', (t) => {
  const cache = cacheWith(snapshot(`${newest}`, ...allEvents.toReversed()));
  t.is([...cache.all()].length, maxEvents);
  t.true(isKept(cache, newest) && isKept(cache, newest - 1));
  t.false(isKept(cache, eventsBefore) || isKept(cache, eventsBefore + 1));
});

test('keeps the newest events that a watch has reported', (t) => {
  const again = changed({
    ...event(eventsBefore),
    metadata: { ...event(eventsBefore).metadata, resourceVersion: `${newest - 1}` },
  });
  const cache = cacheWith(snapshot('1'), ...allEvents.slice(0, -1).map(changed), again, changed(event(newest)));
  t.is([...cache.all()].length, maxEvents);
  t.not(cache.find(event(eventsBefore).metadata), undefined, 'it was reported again');
  t.false(isKept(cache, eventsBefore + 1) || isKept(cache, eventsBefore + 2));
});

test('keeps all objects that are not events', (t) => {
  const pods = Array.from({ length: maxEvents + 1 }, (_, index) => pod(`pod-${index}`, `${index}`));
  t.is([...cacheWith(snapshot(`${maxEvents}`, ...pods)).all()].length, maxEvents + 1);
});
