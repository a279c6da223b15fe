import test from 'ava';
import { readObjects } from '../../../src/render/manifest/read-objects.ts';

const read = (text: string) => [...readObjects(text, 'unable to build')];

test('reads the objects of a manifest and the paths of their templates', (t) => {
  const objects = read(`---
# Source: web/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data: {size: "1"}
---
# Source: web/templates/b.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: b, namespace: other, labels: {x: z}}
spec: {replicas: 3}
`);
  t.deepEqual(objects, [
    {
      source: 'web/templates/a.yaml',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { size: '1' } },
    },
    {
      source: 'web/templates/b.yaml',
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'b', namespace: 'other', labels: { x: 'z' } },
        spec: { replicas: 3 },
      },
    },
  ]);
});

test('reads the items of a list', (t) => {
  const items = [1, 2].map((index) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${index}` } }));
  const objects = read(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  t.deepEqual(
    objects.map(({ object }) => object.metadata.name),
    ['c1', 'c2'],
  );
});

test('reads an object with generateName', (t) => {
  const [found] = read('apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\n');
  t.deepEqual(found?.object.metadata, { name: '', generateName: 'p-' });
});

for (const metadata of ['metadata: {labels: {}}', 'metadata: {name: ""}', 'data: {}']) {
  test(`reads an object without a name, which is refused later: ${metadata}`, (t) => {
    t.is(read(`apiVersion: v1\nkind: Pod\n${metadata}\n`)[0]?.object.metadata.name, '');
  });
}

test('ignores comments and empty documents', (t) => {
  t.deepEqual(read('---\n# Source: web/templates/a.yaml\n# nothing\n---\n\n---\nnull\n'), []);
  t.deepEqual(read(''), []);
});

const annotated = (annotations: string) =>
  `kind: Pod\napiVersion: v1\nmetadata: {name: a, annotations: ${annotations}}`;

const invalid: [string, string, RegExp][] = [
  ['a list', '- a', /a manifest must be a mapping$/],
  ['text', 'hello', /a manifest must be a mapping$/],
  ['an object without kind', 'apiVersion: v1\nmetadata: {name: a}', /Object 'Kind' is missing$/],
  ['an object without apiVersion', 'kind: Pod\nmetadata: {name: a}', /Pod without apiVersion$/],
  ['metadata that is a text', 'kind: Pod\napiVersion: v1\nmetadata: a', /Pod without metadata$/],
  [
    'a name that is a number',
    'kind: Pod\napiVersion: v1\nmetadata: {name: 1}',
    /cannot unmarshal number .* ObjectMeta\.metadata\.name of type string$/,
  ],
  [
    'a namespace that is a number',
    'kind: Pod\napiVersion: v1\nmetadata: {name: a, namespace: 1}',
    /number .*metadata\.namespace of type string$/,
  ],
  ['an annotation that is not a string', annotated('{a: true}'), /bool .*metadata\.annotations of type string$/],
  ['annotations that are a list', annotated('[a]'), /array .*metadata\.annotations of type map\[string\]string$/],
  ['two names', 'kind: Pod\napiVersion: v1\nmetadata: {name: a, generateName: b}', /cannot both be set$/],
  ['text that is not YAML', 'a: [', /./],
];
for (const [what, text, message] of invalid) {
  test(`refuses ${what} and names the template`, (t) => {
    const error = t.throws(() => read(`# Source: web/templates/x.yaml\n${text}\n`));
    t.like(error, { code: 'invalid_manifest' });
    t.regex(error.message, /^unable to build: web\/templates\/x\.yaml: /);
    t.regex(error.message, message);
  });
}

test('reads integers with all their digits', (t) => {
  const numbers = '[9007199254740993, -9223372036854775808, 0x20000000000001, 5, 1.0, 1e17, 1e3, 0o17]';
  const [found] = read(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec: ${numbers}\n`);
  const expected = [9007199254740993n, -9223372036854775808n, 9007199254740993n, 5, 1, 1e17, 1000, 15];
  t.deepEqual(found?.object['spec'], expected);
});

test('reads an integer that int64 does not hold as a float, as Kubernetes does', (t) => {
  const [found] = read('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec: 18446744073709551615\n');
  t.is(found?.object['spec'], 18446744073709552000);
});
