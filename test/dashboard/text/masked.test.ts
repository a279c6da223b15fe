import test from 'ava';
import { maskedManifest, maskedValues } from '../../../src/dashboard/text/masked.ts';

test('masks values whose names, or those of a map around them, say that they are secret', (t) => {
  const values = {
    database: { password: 'hunter2', user: 'web', port: 5432 },
    auth: { users: ['a', 'b'], enabled: true },
    apiKey: 12,
    token: '',
    replicas: 2,
  };
  t.deepEqual(maskedValues(values), {
    database: { password: '***', user: 'web', port: 5432 },
    auth: { users: ['***', '***'], enabled: true },
    apiKey: '***',
    token: '',
    replicas: 2,
  });
});

test('masks a value whose name is beside it', (t) => {
  const env = [
    { name: 'DB_PASSWORD', value: 'hunter2' },
    { value: 'hunter2', name: 'API_TOKEN' },
    { name: 'GREETING', value: 'hello' },
    { name: 'DSN', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ];
  t.deepEqual(maskedValues({ env, extra: [{ id: 'x', key: 'dbPass', value: ['hunter2'] }] }), {
    env: [
      { name: 'DB_PASSWORD', value: '***' },
      { value: '***', name: 'API_TOKEN' },
      { name: 'GREETING', value: 'hello' },
      { name: 'DSN', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    extra: [{ id: 'x', key: '***', value: ['***'] }],
  });
});

test('ends a value that is nested without end', (t) => {
  let value: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  t.true(JSON.stringify(maskedValues(value)).includes('…'));
});

const masks = test.macro({
  exec: (t, manifest: string, masked: string) => t.is(maskedManifest(manifest.split('\n')).join('\n'), masked),
  title: (title) => `masks ${title ?? ''}`,
});
test(
  'the data of Secrets, and of no other object',
  masks,
  '---\nkind: ConfigMap\ndata:\n  a: plain\n---\napiVersion: v1\nkind: Secret\ndata:\n  a: aHVudGVyMg==\n  "b.c": >-\n    many\n    lines\ntype: Opaque',
  '---\nkind: ConfigMap\ndata:\n  a: plain\n---\napiVersion: v1\nkind: Secret\ndata:\n  a: ***\n  "b.c": ***\ntype: Opaque',
);
test(
  'data that comes before the kind',
  masks,
  'stringData:\n  a: hunter2\nkind: "Secret"\nmetadata:\n  name: x',
  'stringData:\n  a: ***\nkind: "Secret"\nmetadata:\n  name: x',
);
test('data on one line', masks, 'kind: Secret\ndata: {a: hunter2}', 'kind: Secret\ndata: ***');
test('a Secret in JSON', masks, '---\n{"kind": "Secret", "data": {"a": "x"}}', '---\n# a Secret: ***');
test('a list of Secrets', masks, 'kind: List\nitems:\n- kind: Secret\n  data: {a: x}', '# a Secret: ***');
test('keys that are not simple', masks, 'kind: Secret\ndata:\n  ? a\n  : hunter2', 'kind: Secret\ndata:');
test(
  'a value with the start of another document in it',
  masks,
  'kind: Secret\nstringData:\n  a: |\n    one\n    ---\n    two',
  'kind: Secret\nstringData:\n  a: ***',
);
test(
  'values whose names are beside them, and no others',
  masks,
  'env:\n- name: DB_PASSWORD\n  value: hunter2\n- name: GREETING\n  value: hello\n- value: hunter2\n# here\n  name: TOKEN',
  'env:\n- name: DB_PASSWORD\n  value: ***\n- name: GREETING\n  value: hello\n- value: ***\n  name: TOKEN',
);
test(
  'all lines of such a value',
  masks,
  'env:\n  - name: >-\n      KEY\n    value: |\n      one\n\n      value: two\n    other: 1\n  - name: KEY\n    value:\n    - a\nend: 1',
  'env:\n  - name: >-\n      KEY\n    value: ***\n    other: 1\n  - name: KEY\n    value: ***\nend: 1',
);
test(
  'such values in JSON',
  masks,
  '{\n  "env": [\n    {\n      "name": "TOKEN",\n      "value": "hunter2"\n    }\n  ]\n}',
  '{\n  "env": [\n    {\n      "name": "TOKEN",\n      "value": ***\n    }\n  ]\n}',
);
test(
  'such values in flow style',
  masks,
  'env: [{name: A, value: b}]\nmore:\n- {name: DB_PASSWORD, value: hunter2}\n- {value: x,\n   "name": "TOKEN"}\n- {key: auth}',
  'env: [{name: A, value: b}]\nmore:\n- ***\n- ***\n- {key: auth}',
);
test(
  'no value whose name is elsewhere',
  masks,
  'a:\n  name: TOKEN\nb:\n  value: x\nname: y',
  'a:\n  name: TOKEN\nb:\n  value: x\nname: y',
);
