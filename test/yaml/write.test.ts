import test from 'ava';
import type { Value } from '../../src/go/value.ts';
import { GoObject, Int, NamedMap, Slice } from '../../src/go/value.ts';
import { readYaml } from '../../src/yaml/read.ts';
import { writeYaml, writeYamlPretty } from '../../src/yaml/write.ts';
import { YamlError } from '../../src/yaml/yaml-error.ts';

function map(entries: Record<string, Value>): Value {
  return new Map(Object.entries(entries));
}

function shown(value: Value): string {
  const json = JSON.stringify(
    value instanceof Map ? Object.fromEntries(value) : value instanceof Int ? 'int64' : value,
  );
  return json.replace(/[^!-~]/g, (character) => `u+${character.charCodeAt(0).toString(16)}`);
}

const writes = test.macro<[value: Value, sigs: string, pretty?: string]>({
  title: (_, value, sigs) => `writes ${shown(value)} as ${shown(sigs)}`,
  exec(t, value, sigs, pretty) {
    t.is(writeYaml(value), sigs);
    t.is(writeYamlPretty(value), pretty ?? sigs);
  },
});

const long = 'word '.repeat(20).trim();
const folded = `${'word '.repeat(17).trim()}\n  word word word`;

test(writes, 'a b', 'a b\n');
for (const word of [
  '',
  'yes',
  'N',
  'null',
  '~',
  '1',
  '08',
  '1e3',
  '0o7',
  '1_000',
  '.5',
  '.inf',
  '12:30:45',
  '2001-01-01',
]) {
  test(writes, word, `"${word}"\n`);
}
for (const text of ['tRue', '<<', '=', '1.2.3', '10Gi', '2001-13-01', 'a:b', '-a', '--', 'http://a.b:80/c#d']) {
  test(writes, text, `${text}\n`);
}
for (const text of ['a: b', ': a', 'a:', '- a', '# c', 'a #b', '{a}', '*a', '%a', '@a', '---', ' a', 'a ']) {
  test(writes, text, `'${text}'\n`);
}
test(writes, "it's", "it's\n");
test(writes, "'a'", "'''a'''\n");
test(writes, 'a\\', 'a\\\n');
test(writes, 'a\nb', '|-\n  a\n  b\n');
test(writes, 'a\nb\n', '|\n  a\n  b\n');
test(writes, ' a\n\n', '|2+\n   a\n\n');
test(writes, 'a \nb', '"a \\nb"\n');
test(writes, 'a\tb', '"a\\tb"\n');
test(writes, 'a\tb\nc', '"a\\tb\\nc"\n', '|-\n  a\tb\n  c\n');
test(writes, '😀', '"\\U0001F600"\n');
test(writes, 'é日', 'é日\n');
test(writes, '\ufeffab', '"\\uFEFF\\x61\\x62"\n');
test(writes, 'a\u2028b', "'a\u2028  b'\n");
test(writes, '\u0001\u001b', '"\\x01\\e"\n');
// width
test(writes, long, `${folded}\n`, `${long}\n`);
test(writes, `: ${long}`, `': ${'word '.repeat(16).trim()}\n  word word word word'\n`, `': ${long}'\n`);
test(writes, map({ k: long }), `k: ${'word '.repeat(16).trim()}\n  word word word word\n`, `k: ${long}\n`);
test(writes, map({ ['k'.repeat(129)]: 1 }), `? ${'k'.repeat(129)}\n: 1\n`);
test(writes, map({ 'a\nb': ['x'] }), '? |-\n  a\n  b\n: - x\n');
// numbers: floats from YAML and JSON, int64 from --set
test(
  writes,
  [1, 1e6, -0, 0.1, 1e-7, 100000.5],
  '- 1\n- 1000000\n- 0\n- 0.1\n- 1e-07\n- 100000.5\n',
  '- 1\n- 1e+06\n- -0\n- 0.1\n- 1e-07\n- 100000.5\n',
);
test(writes, [1e21, 18446744073709551616, 1234567.5], '- 1e+21\n- 1.8446744073709552e+19\n- 1.2345675e+06\n');
test(writes, new Int('int64', 9007199254740993n), '9007199254740993\n');
test(writes, [null, true, false], '- null\n- true\n- false\n');
// structure
test(
  writes,
  map({ a: [1, [2, [3]]], b: map({}), c: [], d: null }),
  'a:\n- 1\n- - 2\n  - - 3\nb: {}\nc: []\nd: null\n',
  'a:\n  - 1\n  - - 2\n    - - 3\nb: {}\nc: []\nd: null\n',
);
test(
  writes,
  [map({ a: map({ b: ['x\ny\n'] }) })],
  '- a:\n    b:\n    - |\n      x\n      y\n',
  '- a:\n    b:\n      - |\n        x\n        y\n',
);
// keys: digits by their value, symbols before letters
test(
  writes,
  map({ x10: 1, x2: 1, x01: 1, X: 1, 'x-1': 1, é: 1, 1: 1 }),
  '"1": 1\nX: 1\nx-1: 1\nx01: 1\nx2: 1\nx10: 1\né: 1\n',
);
test(writes, map({ a1b: 1, 'a1-': 1 }), 'a1-: 1\na1b: 1\n', 'a1b: 1\na1-: 1\n');
test(writes, map({ __proto__x: 1, constructor: 2 }), '__proto__x: 1\nconstructor: 2\n');
// Go's other types
test(writes, new Uint8Array([104, 105]), 'aGk=\n', '- 104\n- 105\n');
test(writes, new Slice('string', null), 'null\n', '[]\n');
test(writes, new NamedMap('map[string]string', null), 'null\n', '{}\n');
test(writes, '\udcff', '\ufffd\n', '!!binary /w==\n');

class Point extends GoObject {
  readonly goType = 'main.Point';
  readonly kind = 'struct';
  override fields(): readonly string[] {
    return ['X', 'A'];
  }
  override field(name: string): Value | undefined {
    return name === 'X' ? 1 : [new Timestamp()];
  }
}
class Timestamp extends GoObject {
  readonly goType = 'time.Time';
  readonly kind = 'struct';
  override json(): Value {
    return '2020-01-02T00:00:00Z';
  }
}

test('writes struct fields sorted by name, or pretty in lower case and declaration order', (t) => {
  t.is(writeYaml(new Point()), 'A:\n- "2020-01-02T00:00:00Z"\nX: 1\n');
  t.is(writeYamlPretty(new Point()), 'x: 1\na:\n  - 2020-01-02T00:00:00Z\n');
});

const fails = test.macro({
  title: (_, name: string) => `rejects ${name}`,
  exec(t, _name: string, value: Value, message: string) {
    t.throws(() => writeYaml(value), { instanceOf: YamlError, message });
  },
});
const cyclic = new Map<string, Value>();
cyclic.set('a', cyclic);
test(fails, 'numbers that JSON cannot represent', NaN, 'error marshaling into JSON: json: unsupported value: NaN');
test(fails, 'control characters', 'a\x7f', 'yaml: control characters are not allowed');
test(
  fails,
  'keys too long for a JSON text read as YAML',
  map({ ['k'.repeat(1023)]: 1 }),
  "yaml: did not find expected ',' or '}'",
);
test(
  fails,
  'values that contain themselves',
  cyclic,
  'error marshaling into JSON: json: unsupported value: encountered a cycle via map[string]interface {}',
);

test('reads back the written value', (t) => {
  const value = readYaml('a: [1, "1", "yes", ~, {b: "x\\ny\\n", c: " # "}]\nb: "a\\tb"\n');
  t.deepEqual(readYaml(writeYaml(value)), value);
  t.deepEqual(readYaml(writeYamlPretty(value)), value);
});
