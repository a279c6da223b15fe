import test from 'ava';
import { splitDocuments } from '../../../src/render/manifest/documents.ts';
import { readHead } from '../../../src/render/manifest/head.ts';
import { sortManifests } from '../../../src/render/manifest/sort-manifests.ts';

function sort(files: Record<string, string>) {
  return sortManifests(new Map(Object.entries(files)), (path, cause) => new Error(`${path}: ${String(cause)}`));
}

test('splits a file at each line that begins with three dashes, even if text follows', (t) => {
  t.deepEqual(splitDocuments('\n\n---\na: 1\n---  \n\n  b: 2\n---c: 3\n# ---\n---\n'), [
    'a: 1\n',
    'b: 2\n',
    'c: 3\n# ---\n',
  ]);
});

test('does not split a file at a line separator inside text', (t) => {
  t.deepEqual(splitDocuments('a: "x\u2028--- y"'), ['a: "x\u2028--- y"']);
});

test('orders manifests by kind, then by path, with unknown kinds last', (t) => {
  const { manifests } = sort({
    'c/templates/z.yaml': 'kind: Service\n',
    'c/templates/a.yaml':
      'kind: Widget\n---\nkind: Deployment\n---\nkind: Gadget\n---\nkind: Service\n---\nkind: Namespace\n',
  });
  t.deepEqual(
    manifests.map(({ kind, name }) => `${kind} ${name}`),
    [
      'Namespace c/templates/a.yaml',
      'Service c/templates/a.yaml',
      'Service c/templates/z.yaml',
      'Deployment c/templates/a.yaml',
      'Gadget c/templates/a.yaml',
      'Widget c/templates/a.yaml',
    ],
  );
});

test('separates hooks and reads their events, weight and policies', (t) => {
  const { manifests, hooks } = sort({
    'c/templates/job.yaml': [
      'kind: Job',
      'metadata:',
      '  name: migrate',
      '  annotations:',
      '    helm.sh/hook: Pre-Install, post-upgrade',
      '    helm.sh/hook-weight: 5',
      '    helm.sh/hook-delete-policy: hook-succeeded,hook-failed',
      '',
    ].join('\n'),
  });
  t.deepEqual(manifests, []);
  t.like(hooks[0], {
    name: 'migrate',
    kind: 'Job',
    path: 'c/templates/job.yaml',
    events: ['pre-install', 'post-upgrade'],
    weight: 5,
    delete_policies: ['hook-succeeded', 'hook-failed'],
  });
});

test('drops a hook that has an unknown event', (t) => {
  const { manifests, hooks } = sort({ 'a.yaml': 'metadata: {annotations: {helm.sh/hook: "crd-install,pre-install"}}' });
  t.deepEqual({ manifests, hooks }, { manifests: [], hooks: [] });
});

test('decodes the head of a manifest as Go does: fields in any case, scalars as text', (t) => {
  const head = readHead('Kind: 5\nmetadata: {name: 010, annotations: {a: 1.50, b: true, c: null, d: 1e3}}\n');
  t.like(head, { kind: '5', name: '8', apiVersion: '' });
  t.deepEqual(
    [...head.annotations],
    [
      ['a', '1.5'],
      ['b', 'true'],
      ['c', ''],
      ['d', '1000'],
    ],
  );
});

const refused = test.macro({
  exec(t, manifest: string, message: string) {
    t.is(
      t.throws(() => readHead(manifest)).message,
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${message}`,
    );
  },
  title: (_, manifest: string) => `${manifest} is refused with Go's text`,
});

// the texts are those of helm template v4.2.4
test(refused, 'metadata: {annotations: {a: [1]}}', 'array into Go struct field .metadata.annotations of type string');
test(
  refused,
  'metadata: {annotations: x}',
  'string into Go struct field .metadata.annotations of type map[string]string',
);
test(refused, 'kind: {x: 1}', 'object into Go struct field SimpleHead.kind of type string');
test(refused, '- 1', 'array into Go value of type util.SimpleHead');
test(refused, '5', 'number into Go value of type util.SimpleHead');
test(
  refused,
  'metadata: x',
  'string into Go struct field SimpleHead.metadata of type struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }',
);
