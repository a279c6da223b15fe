import test from 'ava';
import { compileSchema } from '../../../src/chart/schema/compile-schema.ts';
import { failureLines } from '../../../src/chart/schema/failure.ts';
import { validate } from '../../../src/chart/schema/validate.ts';
import { ValuesError } from '../../../src/chart/values/values-error.ts';
import { readYaml } from '../../../src/yaml/read.ts';

// All messages are those of `helm template` v4.2.4 for a chart with this values.schema.json.

const draft4 = '$schema: http://json-schema.org/draft-04/schema#\n';
const draft6 = '$schema: http://json-schema.org/draft-06/schema#\n';
const draft7 = '$schema: http://json-schema.org/draft-07/schema#\n';
const draft2019 = '$schema: https://json-schema.org/draft/2019-09/schema\n';

const schemaOf = {
  4: 'http://json-schema.org/draft-04/schema#',
  6: 'http://json-schema.org/draft-06/schema#',
  7: 'http://json-schema.org/draft-07/schema#',
  2019: 'https://json-schema.org/draft/2019-09/schema#',
  2020: 'https://json-schema.org/draft/2020-12/schema#',
};

const typeNames = "'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'";

const rejectsSchema = test.macro<[draft: keyof typeof schemaOf, schema: string, ...lines: string[]]>({
  title: (_, draft, schema) => `rejects ${JSON.stringify(schema)} as a schema of draft ${draft}`,
  exec(t, draft, schema, ...lines) {
    const start = `"file:///values.schema.json#" is not valid against metaschema: jsonschema validation failed with '${schemaOf[draft]}'`;
    t.throws(() => compileSchema(readYaml(schema), new Map()), {
      instanceOf: ValuesError,
      message: [start, ...lines].join('\n'),
    });
  },
});

test(rejectsSchema, 2020, '1', "- at '': got number, want boolean or object");
test(rejectsSchema, 2020, '[]', "- at '': got array, want boolean or object");
test(rejectsSchema, 2020, 'required: a', "- at '': 'allOf' failed", "  - at '/required': got string, want array");
test(rejectsSchema, 2020, '$ref: 5', "- at '': 'allOf' failed", "  - at '/$ref': got number, want string");
test(
  rejectsSchema,
  2020,
  'type: foo',
  "- at '': 'allOf' failed",
  "  - at '/type': 'anyOf' failed",
  `    - at '/type': value must be one of ${typeNames}`,
  "    - at '/type': got string, want array",
);
test(
  rejectsSchema,
  2020,
  'properties: {a: {$id: "#/properties/a"}}',
  "- at '': 'allOf' failed",
  "  - at '/properties/a': 'allOf' failed",
  "    - at '/properties/a/$id': '#/properties/a' does not match pattern '^[^#]*#?$'",
);
test(
  rejectsSchema,
  2020,
  'properties: {a: {pattern: "[a"}}',
  "- at '': 'allOf' failed",
  "  - at '/properties/a': 'allOf' failed",
  "    - at '/properties/a/pattern': '[a' is not valid regex: error parsing regexp: missing closing ]: `[a`",
);
test(
  rejectsSchema,
  2020,
  'patternProperties: {"[a": {}}',
  "- at '': 'allOf' failed",
  "  - at '': invalid propertyName '[a'",
  "    - at '': '[a' is not valid regex: error parsing regexp: missing closing ]: `[a`",
);
test(
  rejectsSchema,
  2020,
  '$ref: "%zz"',
  "- at '': 'allOf' failed",
  `  - at '/$ref': '%zz' is not valid uri-reference: parse "%zz": invalid URL escape "%zz"`,
);
test(
  rejectsSchema,
  2019,
  `${draft2019}$anchor: "1"\nitems: [{type: 1}]`,
  "- at '': 'allOf' failed",
  "  - at '/$anchor': '1' does not match pattern '^[A-Za-z][-A-Za-z0-9.:_]*$'",
  "  - at '/items': 'anyOf' failed",
  "    - at '/items': got array, want boolean or object",
  "    - at '/items/0': 'allOf' failed",
  "      - at '/items/0/type': 'anyOf' failed",
  `        - at '/items/0/type': value must be one of ${typeNames}`,
  "        - at '/items/0/type': got number, want array",
);
test(rejectsSchema, 7, `${draft7}properties: []`, "- at '/properties': got array, want object");
test(rejectsSchema, 7, `${draft7}required: a`, "- at '/required': got string, want array");
test(
  rejectsSchema,
  6,
  `${draft6}minLength: -1`,
  "- at '/minLength': 'allOf' failed",
  "  - at '/minLength': minimum: got -1, want 0",
);
test(
  rejectsSchema,
  4,
  `${draft4}minimum: x\nrequired: []`,
  "- at '/minimum': got string, want number",
  "- at '/required': minItems: got 0, want 1",
);
test(
  rejectsSchema,
  4,
  `${draft4}exclusiveMinimum: true`,
  "- at '': properties 'minimum' required, if 'exclusiveMinimum' exists",
);
test(
  rejectsSchema,
  2020,
  `properties: {a: {$id: "http://e.x/a", ${draft7.trim().replace(/: (.*)/, ': "$1"')}, type: 1}}`,
  "- at '': 'allOf' failed",
  "  - at '/properties/a/type': 'anyOf' failed",
  `    - at '/properties/a/type': value must be one of ${typeNames}`,
  "    - at '/properties/a/type': got number, want array",
);

test('validates schemas outside the known keywords if a reference points to them', (t) => {
  t.throws(() => compileSchema(readYaml('properties: {a: {$ref: "#/x/z"}}\nx: {z: {required: 1}}'), new Map()), {
    message:
      `"file:///values.schema.json#/x/z" is not valid against metaschema: jsonschema validation failed with '${schemaOf[2020]}'\n` +
      "- at '': 'allOf' failed\n  - at '/required': got number, want array",
  });
  t.notThrows(() => compileSchema(readYaml('x: {z: {required: 1}}'), new Map()));
});

const fails = test.macro<[schema: string, message: string]>({
  title: (_, schema) => `refuses ${JSON.stringify(schema)}`,
  exec(t, schema, message) {
    t.throws(() => compileSchema(readYaml(schema), new Map()), { instanceOf: ValuesError, message });
  },
});

test(fails, '$schema: foo', 'failing loading "foo": no URLLoader registered for "foo"');
test(fails, '$ref: "constructor:x"', 'failing loading "constructor:x": no URLLoader registered for "constructor:x"');
test(fails, '$ref: "urn:x#/a"', 'json-pointer in "urn:x#/a" not found');
test(fails, 'properties: {a: {$id: "%zz"}}', 'error in parsing id at "file:///values.schema.json#/properties/a"');
test(
  fails,
  `${draft6}patternProperties: {"(": {}}`,
  'invalid regex "(" at "file:///values.schema.json#/patternProperties": error parsing regexp: missing closing ): `(`',
);

test("resolves references to a draft's own schema", (t) => {
  const reference = 'http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger';
  const schema = compileSchema(readYaml(`properties: {a: {$ref: "${reference}"}}`), new Map());
  const failure = validate(schema, readYaml('a: -1'));
  t.is(failure && failureLines(failure), "- at '/a': minimum: got -1, want 0\n");
  t.throws(() => compileSchema(readYaml('$ref: http://json-schema.org/geo'), new Map()), {
    message: /^failing loading "http:\/\/json-schema\.org\/geo": /,
  });
});

const validatesSchemas = test.macro<[url: string]>({
  title: (_, url) => `validates schemas against ${url} by reference`,
  exec(t, url) {
    const schema = compileSchema(readYaml(`properties: {a: {$ref: "${url}"}}`), new Map());
    t.is(validate(schema, readYaml('a: {properties: {b: {type: string, not: {enum: [1]}}}}')), undefined);
    t.not(validate(schema, readYaml('a: {properties: {b: {not: {type: text}}}}')), undefined);
  },
});

test(validatesSchemas, 'http://json-schema.org/draft-04/schema');
test(validatesSchemas, 'http://json-schema.org/draft-06/schema#');
test(validatesSchemas, 'https://json-schema.org/draft-07/schema');
test(validatesSchemas, 'https://json-schema.org/draft/2019-09/schema');
test(validatesSchemas, 'https://json-schema.org/draft/2020-12/schema');
test(validatesSchemas, 'http://json-schema.org/schema');

test('compiles the schemas of drafts only once with a cache', (t) => {
  const cache = new Map();
  compileSchema(readYaml('type: object'), cache);
  const [first] = cache.values();
  compileSchema(readYaml('type: array'), cache);
  t.deepEqual([...cache.values()], [first]);
});
