import test from 'ava';
import {
  ensureObject,
  fieldAt,
  integerAt,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../../src/objects/fields.ts';

const data = { spec: { replicas: 2, text: '3', items: [{ name: 'a' }, 'b'] } };

test('reads a field of the expected type', (t) => {
  t.is(numberAt(data, 'spec', 'replicas'), 2);
  t.is(stringAt(data, 'spec', 'text'), '3');
  t.deepEqual(objectAt(data, 'spec', 'items'), {});
  t.deepEqual(listAt(data, 'spec', 'items'), [{ name: 'a' }, 'b']);
  t.deepEqual(objectsAt(data, 'spec', 'items'), [{ name: 'a' }]);
});

test('returns undefined for a field that is absent or of another type', (t) => {
  t.is(fieldAt(data, 'status', 'replicas'), undefined);
  t.is(numberAt(data, 'spec', 'text'), undefined);
  t.is(stringAt(data, 'spec', 'replicas'), undefined);
  t.is(fieldAt(null, 'spec'), undefined);
});

test('finds own fields only, and no fields of lists', (t) => {
  t.is(fieldAt(data, 'constructor'), undefined);
  t.is(fieldAt(data, 'spec', 'items', 'length'), undefined);
});

test('reads an integer that a controller wrote as text', (t) => {
  t.is(integerAt(data, 'spec', 'text'), 3);
  t.is(integerAt({ count: 'three' }, 'count'), undefined);
});

test('creates the objects on the way to a field', (t) => {
  const object: Record<string, unknown> = {};
  ensureObject(object, 'metadata', 'labels')['app'] = 'web';
  t.deepEqual(object, { metadata: { labels: { app: 'web' } } });
});
