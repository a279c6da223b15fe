import test from 'ava';
import { compileSchema } from '../../../src/chart/schema/compile-schema.ts';
import { failureLines } from '../../../src/chart/schema/failure.ts';
import { validate } from '../../../src/chart/schema/validate.ts';
import { ValuesError } from '../../../src/chart/values/values-error.ts';
import { readYaml } from '../../../src/yaml/read.ts';

function problems(schema: string, value: string): string[] {
  const failure = validate(compileSchema(readYaml(schema), new Map()), readYaml(value));
  return failure === undefined ? [] : failureLines(failure).trimEnd().split('\n');
}

const draft4 = '$schema: http://json-schema.org/draft-04/schema#\n';
const draft7 = '$schema: http://json-schema.org/draft-07/schema#\n';
const draft2019 = '$schema: https://json-schema.org/draft/2019-09/schema\n';

const finds = test.macro<[schema: string, value: string, ...lines: string[]]>({
  title: (_, schema, value) => `validates ${JSON.stringify(value)} against ${JSON.stringify(schema)}`,
  exec(t, schema, value, ...lines) {
    t.deepEqual(problems(schema, value), lines);
  },
});

test(finds, 'type: object', '{}');
test(finds, 'type: [string, "null", integer]', '1.5', "- at '': got number, want null or integer or string");
test(finds, 'properties: {a: {type: integer}}', '{a: 1.0}');
test(finds, 'required: [a]', '{}', "- at '': missing property 'a'");
test(finds, 'required: [a, b]', '{c: 1}', "- at '': missing properties 'a', 'b'");
test(
  finds,
  'additionalProperties: false\nproperties: {a: true}\npatternProperties: {"^x": {}}',
  '{a: 1, x1: 1, b: 1}',
  "- at '': additional properties 'b' not allowed",
);
test(
  finds,
  'properties: {"a/b": {minimum: 3, multipleOf: 0.1}}',
  '{"a/b": 0.25}',
  "- at '/a~1b': minimum: got 0.25, want 3",
  "- at '/a~1b': multipleOf: got 0.25, want 0.1",
);
test(finds, 'maximum: 65535', '70000', "- at '': maximum: got 70,000, want 65,535");
test(finds, 'maximum: 1', '12345678', "- at '': maximum: got 1.2345678×10⁰⁷, want 1");
test(finds, 'enum: [a, 1, true]', 'b', "- at '': value must be one of 'a', 1, true");
test(finds, 'const: {a: 1}', '{a: 2}', "- at '': 'const' failed");
test(finds, 'pattern: "^it\'s"', 'x', "- at '': 'x' does not match pattern '^it\\'s'");
test(finds, 'minLength: 2', '😀', "- at '': minLength: got 1, want 2");
test(finds, 'uniqueItems: true', '[1, {a: 1}, 1.0, {a: 1}]', "- at '': items at 0 and 2 are equal");
test(
  finds,
  'anyOf: [{type: string}, {type: array}]',
  '1',
  "- at '': 'anyOf' failed",
  "  - at '': got number, want string",
  "  - at '': got number, want array",
);
test(finds, 'oneOf: [{minimum: 1}, {minimum: 2}]', '3', "- at '': 'oneOf' failed, subschemas 0, 1 matched");
test(finds, 'not: {type: string}', 'a', "- at '': 'not' failed");
test(finds, 'if: {type: string}\nthen: {minLength: 3}\nelse: {minimum: 3}', '1', "- at '': minimum: got 1, want 3");
test(
  finds,
  'propertyNames: {maxLength: 1}',
  '{ab: 1}',
  "- at '': invalid propertyName 'ab'",
  "  - at '': maxLength: got 2, want 1",
);
test(
  finds,
  'contains: {type: string}\nminContains: 2',
  '[a, 1]',
  "- at '': min 2 items required to match contains schema, but matched 1 items at 0",
  "  - at '/1': got number, want string",
);
test(finds, 'prefixItems: [{type: string}]\nitems: false', '[a, 1]', "- at '/1': false schema");
test(
  finds,
  `${draft7}items: [{type: string}]\nadditionalItems: false`,
  '[a, 1, 2]',
  "- at '': last 2 additionalItem(s) not allowed",
);
test(
  finds,
  `${draft7}dependencies: {a: [b], c: {required: [d]}}`,
  '{a: 1, c: 1}',
  "- at '': properties 'b' required, if 'a' exists",
  "- at '': missing property 'd'",
);
test(finds, `${draft4}minimum: 1\nexclusiveMinimum: true`, '1', "- at '': exclusiveMinimum: got 1, want 1");
test(finds, `${draft7}format: ipv4`, '1.2.3', "- at '': '1.2.3' is not valid ipv4: expected four decimals");
test(finds, `${draft2019}format: ipv4`, '1.2.3');
test(
  finds,
  `${draft2019}allOf: [{properties: {a: true}}]\nunevaluatedProperties: false`,
  '{a: 1, b: 1}',
  "- at '/b': false schema",
);
test(finds, '$ref: "#/$defs/a"\n$defs: {a: {type: string}}', '1', "- at '': got number, want string");
test(finds, `${draft7}$ref: "#/definitions/a"\ntype: string\ndefinitions: {a: {}}`, '1');
test(finds, '$defs: {a: {$anchor: x, type: string}}\nitems: {$ref: "#x"}', '[1]', "- at '/0': got number, want string");
test(
  finds,
  '$id: https://e.x/root.json\n$defs: {a: {$id: a.json, type: string}}\nitems: {$ref: "https://e.x/a.json"}',
  '[1]',
  "- at '/0': got number, want string",
);
test(
  finds,
  '$dynamicAnchor: node\nproperties: {c: {$dynamicRef: "#node"}, v: {type: string}}',
  '{c: {c: {v: 1}}}',
  "- at '/c/c/v': got number, want string",
);
test(
  finds,
  '$ref: "#"',
  '1',
  `- at '': both /$ref and  resolve to "file:///values.schema.json#" causing reference cycle`,
);
test(finds, '$ref: "urn:x"', '1');
test(
  finds,
  'properties: {__proto__: {type: string}}\nrequired: [constructor]',
  '{__proto__: 1}',
  "- at '': missing property 'constructor'",
  "- at '/__proto__': got number, want string",
);

const fails = test.macro({
  title: (_, schema: string) => `rejects the schema ${JSON.stringify(schema)}`,
  exec(t, schema: string, message: string | RegExp) {
    t.throws(() => compileSchema(readYaml(schema), new Map()), { instanceOf: ValuesError, message });
  },
});

test(fails, '$ref: https://e.x/a.json#/b', /^failing loading "https:\/\/e\.x\/a\.json": /);
test(fails, 'properties: {a: {$ref: "file:///etc/passwd"}}', /^failing loading "file:\/\/\/etc\/passwd": /);
test(fails, '$schema: https://e.x/draft', /^failing loading "https:\/\/e\.x\/draft": /);
test(fails, '$ref: "#/nope"', 'json-pointer in "file:///values.schema.json#/nope" not found');
test(
  fails,
  '$ref: "#nope"',
  'anchor in "file:///values.schema.json#nope" not found in schema "file:///values.schema.json"',
);
test(
  fails,
  'properties: {a: {pattern: "(?!x)"}}',
  /is not valid regex: error parsing regexp: invalid or unsupported Perl syntax/,
);

test('ignores invalid references in unreachable schemas', (t) => {
  t.deepEqual(problems(`${draft7}definitions: {a: {$ref: "https://e.x/a.json"}}`, '1'), []);
});

test('matches patterns in linear time that would make a backtracking matcher hang', (t) => {
  t.timeout(2000);
  t.is(problems('pattern: "^(a+)+$"', `${'a'.repeat(5000)}b`).length, 1);
});
