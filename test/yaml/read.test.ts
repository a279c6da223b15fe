import test from 'ava';
import { readTypedYaml, readYaml, readYamlList, readYamlMap } from '../../src/yaml/read.ts';
import { encodeJson } from '../../src/go/json-encode.ts';
import { TypedScalar } from '../../src/yaml/compose.ts';
import { YamlError } from '../../src/yaml/yaml-error.ts';

function json(text: string): string {
  return encodeJson(readYaml(text), { escapeHtml: false });
}

const reads = test.macro({
  title: (_, yaml: string) => `reads ${JSON.stringify(yaml)}`,
  exec: (t, yaml: string, expected: string) => t.is(json(yaml), expected),
});

// YAML 1.1's words and numbers
test(reads, 'a: yes\nb: Off\nc: ~\nd: NULL\ne: tRue', '{"a":true,"b":false,"c":null,"d":null,"e":"tRue"}');
test(reads, '[010, 08, 0o10, 0b11, 0x1F, 1_000, +1, -0x10]', '[8,8,8,3,31,1000,1,-16]');
test(
  reads,
  '[1e3, .5, 1., 1e400, 12:30, 2001-01-01, 18446744073709551615]',
  '[1000,0.5,1,"1e400","12:30","2001-01-01",18446744073709552000]',
);
test(
  reads,
  '"yes": "1"\n!!str yes: !!str 1\nx: !!float 1\nw: !foo 1\nz: !!binary aGk=',
  '{"w":"1","x":1,"yes":"1","z":"hi"}',
);
// keys become texts
test(reads, 'y: 1\n1: 2\n1.5: 3\nno: 4\n0x10: 5', '{"1":2,"1.5":3,"16":5,"false":4,"true":1}');
test(reads, '__proto__: {a: 1}\nconstructor: 2', '{"__proto__":{"a":1},"constructor":2}');
// the last of two keys wins, and a merge counts at its place
test(reads, 'a: 1\na: 2', '{"a":2}');
test(reads, 'a: .inf\na: 2', '{"a":2}');
test(reads, 'k: &k {a: 1, b: 1}\nl:\n  a: 2\n  <<: *k\n  b: 3', '{"k":{"a":1,"b":1},"l":{"a":1,"b":3}}');
test(reads, '<<: [{a: 1}, {a: 2, b: 2}]', '{"a":1,"b":2}');
// where js-yaml alone would read it otherwise
test(reads, 'a: [\n1,\n2\n]\nb: "x\ny"', '{"a":[1,2],"b":"x y"}');
test(reads, 'a: {b: [\n],\n c: 1}', '{"a":{"b":[],"c":1}}');
test(reads, 'a: |\n x\n   y', '{"a":"x\\n  y"}');
test(reads, 'a: >+\n x\n\n', '{"a":"x\\n\\n"}');
test(reads, 'a: 1\r\nb: 2\r\n', '{"a":1,"b":2}');
// only the first document counts, whatever comes after it
test(reads, '# c\n---\na: 1\n---\n{', '{"a":1}');
test(reads, 'a: 1\n...\n}', '{"a":1}');
test(reads, '{a: 1} rest', '{"a":1}');
test(reads, '  a: 1\nb: 2', '{"a":1}');
test(reads, '', 'null');
test(reads, '# only a comment', 'null');

const fails = test.macro({
  title: (_, yaml: string) => `refuses ${JSON.stringify(yaml)}`,
  exec(t, yaml: string, message: string | RegExp) {
    const error = t.throws(() => readYaml(yaml), { instanceOf: YamlError });
    const text = error.message.replace('error converting YAML to JSON: ', '');
    if (typeof message === 'string') t.is(text, message);
    else t.regex(text, message);
  },
});

test(fails, 'null: v', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "v"');
test(
  fails,
  '18446744073709551615: [1, a, ~]',
  'unsupported map key of type: uint64, key: 0xffffffffffffffff, value: []interface {}{1, "a", interface {}(nil)}',
);
test(fails, '{a: b}: v', 'yaml: invalid map key: map[interface {}]interface {}{"a":"b"}');
test(fails, '<<: v', 'yaml: map merge requires map or sequence of maps as the value');
test(fails, 'a: !!int x', 'yaml: cannot decode !!str `x` as a !!int');
test(fails, 'a: !!binary "!"', 'yaml: !!binary value contains invalid base64 data');
test(fails, 'a: *x', "yaml: unknown anchor 'x' referenced");
test(fails, 'a: &x\n  b: *x', "yaml: anchor 'x' value contains itself");
test(fails, 'v: -.inf', 'json: unsupported value: -Inf');
for (const yaml of [
  'a: b: c',
  'a: [1, 2',
  'a:\n\tb: 1',
  '- a\n\t\n- b',
  'a: "\\/"',
  ': v',
  '...\na: 1',
  'a: !t b: c',
  '- a\nb: c',
  '[a, , b]',
]) {
  test(fails, yaml, /^yaml: /);
}

test('names the line of a syntax error', (t) => {
  const error = t.throws(() => readYaml('a: 1\nb: [\n'), { instanceOf: YamlError });
  t.is(error.line, 3);
  t.regex(error.message, /^error converting YAML to JSON: yaml: line 3: /);
});

test('bounds what aliases blow up', (t) => {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  const error = t.throws(() => readYaml(['l0: &l0 [x]', ...levels].join('\n')), { instanceOf: YamlError });
  t.regex(error.message, /document contains excessive aliasing/);
});

test('refuses nesting that would exhaust the stack', (t) => {
  t.throws(() => readYaml('['.repeat(100_000)), { instanceOf: YamlError });
  t.notThrows(() => readYaml('['.repeat(900) + ']'.repeat(900)));
});

test('an alias is a copy, as through JSON', (t) => {
  const value = readYamlMap('a: &a {x: 1}\nb: *a');
  t.not(value?.get('a'), value?.get('b'));
});

test('takes time in proportion to a text of comments only', (t) => {
  t.timeout(2000);
  t.is(json(`${'# '.repeat(50_000)}\nx: 1\n---\n`), '{"x":1}');
});

test('says what a document is where another kind is wanted', (t) => {
  t.is(readYamlMap('~'), null);
  t.throws(() => readYamlMap('[1]'), {
    message:
      'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
  });
  t.throws(() => readYamlList('a: 1'), {
    message:
      'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go value of type []interface {}',
  });
});

test('typed scalars know the text that Go makes of them', (t) => {
  const tree = readTypedYaml('[1.10, 0x10, yes, 16777217.0, 2020-01-01]');
  t.deepEqual(
    (tree as unknown[]).map((item) => (item instanceof TypedScalar ? item.text : item)),
    ['1.1', '16', 'true', '1.6777216e+07', '2020-01-01'],
  );
});
