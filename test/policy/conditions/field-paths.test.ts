import test from 'ava';
import { createCelEvaluator } from '../../../src/policy/conditions/cel.ts';
import { selectFields } from '../../../src/policy/conditions/field-paths.ts';

const object = {
  kind: 'Deployment',
  metadata: { name: 'web', uid: 'u', labels: { team: 'a' } },
  spec: { replicas: 2, list: [{ x: 1 }], none: null },
};

const selected = test.macro((t, paths: string[][], expected: unknown) => {
  t.deepEqual(selectFields(object, paths), expected);
});
test('fields are selected with those above them', selected, [['kind'], ['spec', 'replicas']], {
  kind: 'Deployment',
  spec: { replicas: 2 },
});
test('a path to a field that is absent selects what is above it', selected, [['metadata', 'annotations', 'a']], {
  metadata: {},
});
test(
  'a path into a list, a null or a text selects it whole',
  selected,
  [
    ...[
      ['spec', 'list', 'x'],
      ['spec', 'none', 'x'],
    ],
    ['kind', 'length'],
  ],
  { spec: { list: [{ x: 1 }], none: null }, kind: 'Deployment' },
);
test('a path to a field includes those below it', selected, [['spec', 'replicas'], ['spec']], { spec: object.spec });
test('a path without names selects all', selected, [['kind'], []], object);
test('without paths, nothing is selected', selected, [], {});

test('names of JavaScript itself are names of fields', (t) => {
  const value = JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as object;
  t.is(
    JSON.stringify(selectFields(value, [['__proto__', 'a'], ['constructor'], ['b']])),
    '{"__proto__":{"a":1},"b":2}',
  );
});

const reads = test.macro((t, expression: string, expected: readonly string[]) => {
  const [compiled] = createCelEvaluator().compile([expression]);
  t.deepEqual((compiled?.reads ?? []).map((path) => path.join('.')).sort(), [...expected].sort());
});
test('an expression reads the fields that it names', reads, 'object.kind == "A" || object.spec.replicas <= 5', [
  'object.kind',
  'object.spec.replicas',
]);
test('has reads a field', reads, 'has(command.payload.force)', ['command.payload.force']);
test('an index reads all', reads, "object['metadata']['uid'] == ''", ['object']);
test('a comparison reads all', reads, 'object.metadata == {}', ['object.metadata']);
test('a comprehension reads its list', reads, 'object.spec.list.all(x, x.y == caller)', ['object.spec.list', 'caller']);
test('a macro reads the fields of a variable, and not of its own', reads, '[1].map(object, object.kind)', []);
test('a field of a call reads what the call gets', reads, 'object.spec.list.filter(x, true)[0].z == 1', [
  'object.spec.list',
]);
test('the keys of a map are read', reads, '{object.kind: chart.version}[object.metadata.name] != ""', [
  ...['object.kind', 'chart.version'],
  'object.metadata.name',
]);

const expressions = [
  ...['object.kind == "Deployment"', 'object.spec.replicas <= 5', 'object.metadata.labels.team == "b"'],
  ...['has(object.metadata.annotations)', 'has(object.metadata.annotations.a)', 'object.metadata.annotations.a == ""'],
  ...['object.spec.list.x == 1', 'object.spec.list.all(i, i.x == 1)', 'object.spec.none.x == 1', 'object.kind.x == 1'],
  ...[
    "object['metadata'].uid == 'u'",
    'size(object.metadata) == 3',
    'object.metadata.all(k, k != "uid")',
    'object.gone.x',
  ],
  ...['has(object.kind.x)', 'has(object.spec.list.x)', 'object.spec.replicas > 1 ? object.kind == "A" : object.gone'],
];
for (const expression of expressions) {
  test(`${expression} has the same outcome with the fields that it reads`, (t) => {
    const cel = createCelEvaluator();
    const values = { command: {}, caller: '', release: {}, chart: null, object: null, now: 0 };
    const [compiled] = cel.compile([expression]);
    const part = selectFields({ object }, compiled?.reads ?? []);
    const texts = [object, (part as { object: unknown }).object].map((value) => JSON.stringify(value));
    const [whole, selectedOnly] = cel.evaluateObjects([expression], values, texts);
    t.deepEqual(selectedOnly, whole);
  });
}
