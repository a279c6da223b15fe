import test from 'ava';
import { ObjectCache, type TrackedObjects } from '../../../src/operation/tracker/object-cache.ts';
import { TrackedView } from '../../../src/operation/tracker/tracked-view.ts';

const ofA = { key: 'shop/a', uids: ['owner-of-a'] };
const ofB = { key: 'shop/b', uids: ['owner-of-b'] };

const concerns = test.macro({
  exec(t, look: (objects: TrackedObjects) => unknown, expected: [ofA: boolean, ofB: boolean]) {
    const view = new TrackedView(new ObjectCache());
    look(view);
    t.deepEqual([view.note(ofA), view.note(ofB)], expected);
    t.is(view.changes, expected.filter(Boolean).length);
  },
  title: (what = '') => `changes concern a user who ${what}`,
});

test('has looked up nothing: none', concerns, () => undefined, [false, false]);
test(
  'has looked for an object: those of that object',
  concerns,
  (objects) => objects.find({ namespace: 'shop', name: 'a' }),
  [true, false],
);
test(
  'has looked for the objects of an owner: those of such objects',
  concerns,
  (objects) => objects.relatedTo('owner-of-b'),
  [false, true],
);
test('has seen all objects: all', concerns, (objects) => objects.all(), [true, true]);
test('waits for a version: the next one', concerns, (objects) => objects.resourceVersion, [true, false]);

test('a list and a refusal concern every user', (t) => {
  const view = new TrackedView(new ObjectCache());
  t.true(view.note('all'));
  t.is(view.changes, 1);
});
