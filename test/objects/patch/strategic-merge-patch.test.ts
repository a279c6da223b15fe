import test from 'ava';
import type { JsonObject } from '../../../src/objects/fields.ts';
import { type FieldMerge, type PatchSchema, plainField, plainSchema } from '../../../src/objects/patch/patch-schema.ts';
import { threeWayPatch } from '../../../src/objects/patch/strategic-merge-patch.ts';

/** Returns a schema from merge rules by field. */
function schemaOf(fields: Record<string, Partial<FieldMerge>>): PatchSchema {
  return { field: (name) => (Object.hasOwn(fields, name) ? { ...plainField, ...fields[name] } : plainField) };
}

const ports = { strategy: 'merge', mergeKey: 'port' } as const;
const env = { strategy: 'merge', mergeKey: 'name' } as const;
const schema = schemaOf({
  ports,
  containers: { strategy: 'merge', mergeKey: 'name', schema: schemaOf({ env, args: { schema: plainSchema } }) },
  volumes: { strategy: 'merge', mergeKey: 'name', retainKeys: true },
  strategy: { retainKeys: true },
  selector: { strategy: 'replace' },
  finalizers: { strategy: 'merge' },
});

interface Case {
  title: string;
  original?: JsonObject;
  modified: JsonObject;
  live: JsonObject;
  patch: JsonObject;
}

const cases: Case[] = [
  {
    title: 'nothing for fields that only others have set',
    original: { a: 1 },
    modified: { a: 1 },
    live: { a: 1, theirs: 2 },
    patch: {},
  },
  {
    title: 'a field that someone changed, and null for one that the chart dropped',
    original: { replicas: 1, dropped: 'x', never: 1 },
    modified: { replicas: 1 },
    live: { replicas: 5, dropped: 'y' },
    patch: { replicas: 1, dropped: null },
  },
  {
    title: 'null for a field that the chart sets to null',
    modified: { a: null, b: null },
    live: { a: 1 },
    patch: { a: null },
  },
  {
    title: 'a whole list that has no merge key',
    modified: { args: ['a', 'b'] },
    live: { args: ['a'] },
    patch: { args: ['a', 'b'] },
  },
  {
    title: 'only the changed elements of a list with a merge key, and their order',
    original: { containers: [{ name: 'a', image: '1' }, { name: 'old' }] },
    modified: { containers: [{ name: 'a', image: '2' }, { name: 'b' }] },
    live: { containers: [{ name: 'a', image: '1', pulled: true }, { name: 'old' }, { name: 'injected' }] },
    patch: {
      containers: [{ image: '2', name: 'a' }, { name: 'b' }, { name: 'old', $patch: 'delete' }],
      '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
    },
  },
  {
    title: 'an element inside an element',
    original: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y' }] }] },
    modified: { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] },
    live: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y' }, { name: 'Z' }] }] },
    patch: {
      containers: [
        {
          env: [
            { value: '2', name: 'X' },
            { name: 'Y', $patch: 'delete' },
          ],
          '$setElementOrder/env': [{ name: 'X' }],
          name: 'a',
        },
      ],
      '$setElementOrder/containers': [{ name: 'a' }],
    },
  },
  {
    title: 'only the order if the elements are the same',
    modified: { ports: [{ port: 1 }, { port: 2 }] },
    live: { ports: [{ port: 2 }, { port: 1 }] },
    patch: { '$setElementOrder/ports': [{ port: 1 }, { port: 2 }] },
  },
  {
    title: 'the whole list if two elements have the same key, which a patch cannot tell apart',
    modified: {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    },
    live: { ports: [{ port: 53, protocol: 'UDP', nodePort: 1 }] },
    patch: { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }, { $patch: 'replace' }] },
  },
  {
    title: 'nothing for two elements with the same key that are as they are wanted',
    modified: {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    },
    live: {
      ports: [
        { port: 53, protocol: 'UDP', nodePort: 1 },
        { port: 53, protocol: 'TCP', nodePort: 2 },
      ],
    },
    patch: {},
  },
  {
    title: 'the fields to keep of a map that keeps no others',
    modified: { strategy: { type: 'Recreate' } },
    live: { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
    patch: { strategy: { type: 'Recreate', $retainKeys: ['type'] } },
  },
  {
    title: 'the fields to keep of an element that keeps no others',
    original: { volumes: [{ name: 'v', emptyDir: {} }] },
    modified: { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
    live: { volumes: [{ name: 'v', emptyDir: {} }] },
    patch: {
      volumes: [{ configMap: { name: 'c' }, emptyDir: null, $retainKeys: ['configMap', 'name'], name: 'v' }],
      '$setElementOrder/volumes': [{ name: 'v' }],
    },
  },
  {
    title: 'a whole map that is replaced',
    modified: { selector: { a: '1' } },
    live: { selector: { b: '2' } },
    patch: { selector: { a: '1' } },
  },
  {
    title: 'the added and removed values of a set',
    original: { finalizers: ['a', 'old', 'gone'] },
    modified: { finalizers: ['a', 'b'] },
    live: { finalizers: ['theirs', 'a', 'old'] },
    patch: {
      finalizers: ['b'],
      '$deleteFromPrimitiveList/finalizers': ['old'],
      '$setElementOrder/finalizers': ['a', 'b'],
    },
  },
  {
    title: 'no removals inside a map or an element that the cluster does not have',
    original: { map: { a: 1 }, ports: [{ port: 1 }] },
    modified: { map: { b: 1 }, ports: [] },
    live: {},
    patch: { map: { b: 1 }, ports: [] },
  },
  {
    title: 'an own property for a field named __proto__',
    modified: JSON.parse('{"labels": {"__proto__": "x"}}') as JsonObject,
    live: { labels: {} },
    patch: JSON.parse('{"labels": {"__proto__": "x"}}') as JsonObject,
  },
];

for (const { title, original = {}, modified, live, patch } of cases) {
  test(`the patch has ${title}`, (t) => {
    t.deepEqual(threeWayPatch(original, modified, live, schema), patch);
  });
}

test('fails for an element without its merge key', (t) => {
  const lists = [{ containers: [{ image: 'x' }] }, { containers: [{ name: 'a' }] }] as const;
  t.throws(() => threeWayPatch({}, ...lists, schema), {
    code: 'invalid',
    message: 'an element of the list containers does not have its merge key: name',
  });
});
