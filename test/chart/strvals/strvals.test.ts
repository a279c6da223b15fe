import test from 'ava';
import { setFiles, setJson, setLiteral, setStrings, setValues } from '../../../src/chart/strvals/index.ts';
import { encodeJson } from '../../../src/go/json-encode.ts';
import { Int, type Value, type ValueMap } from '../../../src/go/value.ts';
import { readYamlMap } from '../../../src/yaml/read.ts';

type Setter = (line: string, target: ValueMap) => void;

const sets = test.macro({
  exec(t, set: Setter, line: string, expected: string, base: string = '{}') {
    const target = readYamlMap(base) ?? new Map<string, Value>();
    set(line, target);
    t.is(encodeJson(target, { escapeHtml: false }), expected);
  },
  title: (_, set: Setter, line: string, expected: string, base: string = '') =>
    `${set.name} ${line} on ${base || 'nothing'} gives ${expected}`,
});

test(sets, setValues, 'a=1,b.c=x,d[1]=true', '{"a":1,"b":{"c":"x"},"d":[null,true]}');
test(sets, setValues, 'a={},b={x,2},c=', '{"a":[""],"b":["x",2],"c":""}');
test(sets, setValues, 'a=1.5,b=007,c=null,d=+1', '{"a":"1.5","b":"007","c":null,"d":1}');
test(sets, setValues, 'a\\.b=x\\,y', '{"a.b":"x,y"}');
test(sets, setValues, '.a=1', '{}');
test(sets, setValues, 'a[0', '{}');
test(sets, setValues, 'l[1].k=2,m.x=3', '{"l":[{"k":1},{"k":2}],"m":{"x":3,"z":1}}', '{l: [{k: 1}], m: {z: 1}}');
test(sets, setStrings, 'a=1,b=true', '{"a":"1","b":"true"}');
test(sets, setLiteral, 'a.b=1,c=[x]', '{"a":{"b":"1,c=[x]"}}');
test(sets, setJson, 'a={"b": [1]},c=,d=null', '{"a":{"b":[1]},"c":null,"d":null}');

test('--set reads whole numbers as int64, --set-json as float64', (t) => {
  const target: ValueMap = new Map();
  setValues('a=5', target);
  setJson('b=5', target);
  t.true(target.get('a') instanceof Int);
  t.is(target.get('b'), 5);
});

test('--set-file reads each value from its file', (t) => {
  const target: ValueMap = new Map();
  setFiles('a=x.txt,b.c=y.txt', target, (path) => `content of ${path}`);
  t.is(encodeJson(target, { escapeHtml: false }), '{"a":"content of x.txt","b":{"c":"content of y.txt"}}');
});

const refused = test.macro({
  exec(t, set: Setter, line: string, message: string, base: string = '{}') {
    t.like(
      t.throws(() => set(line, readYamlMap(base) ?? new Map<string, Value>())),
      { code: 'values_invalid', message },
    );
  },
  title: (_, set: Setter, line: string) => `${set.name} ${line.slice(0, 20)} is rejected with Helm's text`,
});

test(refused, setValues, 'a', 'key "a" has no value');
test(refused, setValues, 'a,b=1', 'key "a" has no value (cannot end with ,)');
test(refused, setValues, 'a={x', "list must terminate with '}'");
test(refused, setValues, 'a[x]=1', 'error parsing index: strconv.Atoi: parsing "x": invalid syntax');
test(refused, setValues, 'a[-1]=1', 'negative -1 index not allowed');
test(refused, setValues, 'a[65537]=1', 'index of 65537 is greater than maximum supported index of 65536');
test(refused, setValues, `a${'[65536]'.repeat(2000)}=1`, 'more than 1000000 list elements would be empty');
test(refused, setValues, 'a[0]b=1', "unexpected data at end of array index: ['b']");
test(
  refused,
  setValues,
  `${'a.'.repeat(31)}a=1`,
  'value name nested level is greater than maximum supported nested level of 30',
);
test(
  refused,
  setValues,
  's.x=1',
  'unable to parse key: interface conversion: interface {} is string, not map[string]interface {}',
  's: text',
);
test(refused, setJson, 'a=yes', "invalid character 'y' looking for beginning of value");
test(refused, setJson, 'a={"b"', 'unexpected EOF');
