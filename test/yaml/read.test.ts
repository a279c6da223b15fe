import test from 'ava';
import { encodeJson } from '../../src/go/json-encode.ts';
import { TypedScalar } from '../../src/yaml/compose.ts';
import { readTypedYaml, readYaml, readYamlList, readYamlMap } from '../../src/yaml/read.ts';
import { YamlError } from '../../src/yaml/yaml-error.ts';

function json(text: string): string {
  return encodeJson(readYaml(text), { escapeHtml: false });
}

const reads = test.macro({
  title: (_, yaml: string) => `reads ${JSON.stringify(yaml)}`,
  exec: (t, yaml: string, expected: string) => t.is(json(yaml), expected),
});

// words and numbers of YAML 1.1
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
// keys become strings
test(reads, 'y: 1\n1: 2\n1.5: 3\nno: 4\n0x10: 5', '{"1":2,"1.5":3,"16":5,"false":4,"true":1}');
test(reads, '__proto__: {a: 1}\nconstructor: 2', '{"__proto__":{"a":1},"constructor":2}');
// the last of two keys wins, and a merge applies at its position
test(reads, 'a: 1\na: 2', '{"a":2}');
test(reads, 'a: .inf\na: 2', '{"a":2}');
test(reads, 'k: &k {a: 1, b: 1}\nl:\n  a: 2\n  <<: *k\n  b: 3', '{"k":{"a":1,"b":1},"l":{"a":1,"b":3}}');
test(reads, '<<: [{a: 1}, {a: 2, b: 2}]', '{"a":1,"b":2}');
// layout
test(reads, 'a: [\n1,\n2\n]\nb: "x\ny"', '{"a":[1,2],"b":"x y"}');
test(reads, 'a: {b: [\n],\n c: 1}', '{"a":{"b":[],"c":1}}');
test(reads, 'a: |\n x\n   y', '{"a":"x\\n  y"}');
test(reads, 'a: >+\n x\n\n', '{"a":"x\\n\\n"}');
test(reads, 'a: 1\r\nb: 2\r\n', '{"a":1,"b":2}');
// only the first document is read, and the text after it is ignored
test(reads, '# c\n---\na: 1\n---\n{', '{"a":1}');
test(reads, 'a: 1\n...\n}', '{"a":1}');
test(reads, '{a: 1} rest', '{"a":1}');
test(reads, '  a: 1\nb: 2', '{"a":1}');
test(reads, '{}: x', '{}');
test(reads, '\ufeffa: 1', '{"a":1}');
test(reads, '\udcff\udcfea\0:\0 \x001\0', '{"a":1}');
test(reads, 'a: b\x85c: "d \u2029 e"', '{"a":"b","c":"d\\u2029e"}');
test(reads, '', 'null');
test(reads, '# only a comment', 'null');

const fails = test.macro({
  title: (_, yaml: string) => `rejects ${JSON.stringify(yaml)}`,
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
// go-yaml's errors for text that is not YAML; it counts the lines of some errors from 0
test(fails, 'a: b: c', 'yaml: mapping values are not allowed in this context');
test(fails, '\na: !t b: c', 'yaml: line 2: mapping values are not allowed in this context');
test(fails, 'a: [1, 2', "yaml: line 1: did not find expected ',' or ']'");
test(fails, 'a: {b: 1', "yaml: line 1: did not find expected ',' or '}'");
test(fails, 'a: }', 'yaml: did not find expected node content');
test(fails, '[a, , b]', 'yaml: did not find expected node content');
test(fails, 'a:\n\tb: 1', 'yaml: line 2: found character that cannot start any token');
test(fails, 'a: @b', 'yaml: found character that cannot start any token');
test(fails, 'a: b\n\tc', 'yaml: line 2: found a tab character that violates indentation');
test(fails, 'a: |\n\tb', 'yaml: line 2: found a tab character where an indentation space is expected');
test(fails, 'a: |0', 'yaml: found an indentation indicator equal to 0');
test(fails, 'a: | b', 'yaml: did not find expected comment or line break');
test(fails, 'a: "\\/"', 'yaml: found unknown escape character');
test(fails, 'a: "\\xg"', 'yaml: did not find expected hexdecimal number');
test(fails, 'a: "\\ud800"', 'yaml: found invalid Unicode character escape code');
test(fails, "a: 'b", 'yaml: found unexpected end of stream');
test(fails, 'a: "b\n---\n"', 'yaml: line 2: found unexpected document indicator');
test(fails, ': v\na', 'yaml: did not find expected key');
test(fails, 'a: b\nc\nd: e', "yaml: line 3: could not find expected ':'");
test(fails, '...\na: 1', 'yaml: did not find expected node content');
test(fails, '- a\nb: c', "yaml: line 1: did not find expected '-' indicator");
test(fails, 'a: b\n- c', 'yaml: line 1: did not find expected key');
test(fails, 'a: b - c\n - d: e', 'yaml: line 2: mapping values are not allowed in this context');
test(fails, 'a: - b', 'yaml: block sequence entries are not allowed in this context');
test(fails, 'a: ? b', 'yaml: mapping keys are not allowed in this context');
test(fails, `${'k'.repeat(1025)}: v`, 'yaml: mapping values are not allowed in this context');
test(fails, 'a: &', 'yaml: did not find expected alphabetic or numeric character');
test(fails, 'a: !u!x 1', 'yaml: found undefined tag handle');
test(fails, 'a: !<x 1', "yaml: did not find the expected '>'");
test(fails, 'a: !x{ 1', 'yaml: did not find expected whitespace or line break');
test(fails, 'a: !<%c3%c3> 1', 'yaml: found an incorrect trailing UTF-8 octet');
test(fails, '%YAML 1.2\n---\na', 'yaml: found incompatible YAML document');
test(fails, '%TAG ! a:\n%TAG ! b:\n---\na', 'yaml: line 1: found duplicate %TAG directive');
test(fails, '%FOO\n---\na', 'yaml: found unknown directive name');
test(fails, '%YAML 1.1\na', 'yaml: line 1: did not find expected <document start>');
test(fails, 'a: \x07', 'yaml: control characters are not allowed');
test(fails, 'a: \udcff', 'yaml: invalid leading UTF-8 octet');
test(fails, 'a: \udcc3(', 'yaml: invalid trailing UTF-8 octet');
// printf '\xff\xfev\x00:\x00 \x001\x00\n' > u.yaml; helm template r chart -f u.yaml
test(fails, '\udcff\udcfev\0:\0 \x001\0\n', 'yaml: incomplete UTF-16 character');
test(fails, '\udcff\udcfev\0:\0 \0\0\udcd8', 'yaml: incomplete UTF-16 surrogate pair');
test(fails, '\udcff\udcfev\0:\0 \0\0\udcd8a\0', 'yaml: expected low surrogate area');
test(fails, '\udcff\udcfev\0:\0 \0\0\udcdc', 'yaml: unexpected low surrogate area');
test(fails, '\udcfe\udcff\0v\0:\0 \0\x07', 'yaml: control characters are not allowed');
test(fails, 'a: !!float 18446744073709551615', 'yaml: cannot decode !!int `18446744073709551615` as a !!float');
test(fails, 'a: !!int 2001-01-01', 'yaml: cannot decode !!str `2001-01-01` as a !!int');
test(
  fails,
  '? {a: 1, a: .inf, 2: ~, <<: {b: [x]}}\n: v',
  'yaml: invalid map key: map[interface {}]interface {}{"a":+Inf, "b":[]interface {}{"x"}, 2:interface {}(nil)}',
);

test('rejects invalid characters only when they are read, in chunks of half a kilobyte', (t) => {
  t.is(json(`a: 1\n---\n${'b'.repeat(600)}\x07`), '{"a":1}');
  t.throws(() => readYaml(`a: 1\n---\n${'b'.repeat(100)}\x07`), { message: /control characters are not allowed/ });
  t.throws(() => readYaml(`a: 1\nb: c\n${'d'.repeat(600)}\x07`), { message: /control characters are not allowed/ });
  t.throws(() => readYaml(`a: 1\nb: c: d\n${'d'.repeat(600)}\x07`), { message: /mapping values are not allowed/ });
});

test('returns the line of a syntax error', (t) => {
  const error = t.throws(() => readYaml('a: 1\nb: [\n'), { instanceOf: YamlError });
  t.is(error.line, 2);
  t.is(error.message, 'error converting YAML to JSON: yaml: line 2: did not find expected node content');
});

test('limits the expansion of aliases', (t) => {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  const error = t.throws(() => readYaml(['l0: &l0 [x]', ...levels].join('\n')), { instanceOf: YamlError });
  t.regex(error.message, /document contains excessive aliasing/);
});

test('rejects nesting that would exhaust the stack', (t) => {
  t.throws(() => readYaml('['.repeat(100_000)), { instanceOf: YamlError, message: /exceeded max depth of 1000$/ });
  t.notThrows(() => readYaml('['.repeat(900) + ']'.repeat(900)));
});

test('copies the value of an alias, as a conversion to JSON does', (t) => {
  const value = readYamlMap('a: &a {x: 1}\nb: *a');
  t.deepEqual(value?.get('b'), new Map([['x', 1]]));
  t.not(value?.get('a'), value?.get('b'));
});

test('reads a long comment in linear time', (t) => {
  t.timeout(2000);
  t.is(json(`${'# '.repeat(50_000)}\nx: 1\n---\n`), '{"x":1}');
});

test('reports the kind of a document that is not the requested one', (t) => {
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

test('keeps the text that Go converts a typed scalar to', (t) => {
  const tree = readTypedYaml('[1.10, 0x10, yes, 16777217.0, 2020-01-01]');
  t.deepEqual(
    (tree as unknown[]).map((item) => (item instanceof TypedScalar ? item.text : item)),
    ['1.1', '16', 'true', '1.6777216e+07', '2020-01-01'],
  );
});
