import test from 'ava';
import { loadArchive } from '../../src/chart/load/load-archive.ts';
import { setJson, setLiteral, setStrings, setValues } from '../../src/chart/strvals/index.ts';
import { validateValues } from '../../src/chart/values/validate-values.ts';
import { sprintf } from '../../src/go/fmt.ts';
import { encodeJson } from '../../src/go/json-encode.ts';
import type { Value, ValueMap } from '../../src/go/value.ts';
import { decodePacket } from '../../src/protocol/packet.ts';
import { readYamlMap } from '../../src/yaml/read.ts';
import { writeYaml } from '../../src/yaml/write.ts';
import { archiveOf, chartYaml } from '../chart/archive.ts';
import { runTemplate } from '../functions/template-runner.ts';

// Keys that are special in JavaScript objects are ordinary keys here, and keys have Go's order.

const before = JSON.stringify(prototypes());

/** Members that only a polluted prototype has. */
function prototypes(): unknown {
  return [Object.prototype, Array.prototype, Function.prototype, Map.prototype, String.prototype].map((prototype) =>
    Reflect.ownKeys(prototype).map(String),
  );
}

test.afterEach.always((t) => {
  t.is(JSON.stringify(prototypes()), before);
  t.is(({} as Record<string, unknown>)['x'], undefined);
});

const printed = test.macro({
  title: (_, template: string) => `${template} has keys as any other`,
  exec: (t, template: string, expected: string) => t.is(runTemplate(template), expected),
});

const bad = 'dict "__proto__" (dict "x" 1) "constructor" 2 "prototype" 3 "toString" 4 "hasOwnProperty" 5';
const all = 'map[__proto__:map[x:1] constructor:2 hasOwnProperty:5 prototype:3 toString:4]';
test(printed, `{{ ${bad} }}`, all);
test(printed, `{{ ${bad} | toJson | fromJson }}`, all);
test(printed, `{{ ${bad} | toYaml | fromYaml }}`, all);
test(printed, `{{ ${bad} | toToml | fromToml }}`, all);
test(printed, `{{ ${bad} | deepCopy }}`, all);
test(printed, `{{ merge (dict) (${bad}) }}`, all);
test(
  printed,
  `{{ mergeOverwrite (dict "__proto__" (dict "y" 1)) (dict "__proto__" (dict "x" 2)) }}`,
  'map[__proto__:map[x:2 y:1]]',
);
test(
  printed,
  '{{ $d := dict }}{{ $_ := set $d "__proto__" (dict "x" 1) }}{{ $d }}{{ (dict).x | toJson }}',
  'map[__proto__:map[x:1]]null',
);
test(printed, '{{ $d := dict }}{{ $_ := set (get (dict "constructor" $d) "constructor") "x" 1 }}{{ $d }}', 'map[x:1]');
test(
  printed,
  '{{ (dict).constructor | toJson }} {{ (dict).__proto__ | toJson }} {{ (dict).size | toJson }}',
  'null null null',
);
test(
  printed,
  '{{ dig "__proto__" "x" "none" (dict) }} {{ hasKey (dict) "constructor" }} {{ get (dict) "toString" }}|',
  'none false |',
);
test(
  printed,
  '{{ pick (dict "a" 1) "constructor" }} {{ omit (dict "__proto__" 1) "__proto__" }} {{ pluck "toString" (dict) }}',
  'map[] map[] []',
);
test(
  printed,
  '{{ $d := dict "__proto__" 1 }}{{ $_ := unset $d "constructor" }}{{ keys $d }}{{ values $d }}',
  '[__proto__][1]',
);
test(
  printed,
  '{{ fromYaml "<<: {__proto__: {x: 1}}" }}{{ fromYaml "__proto__: &a {x: 1}\\nb: *a" }}',
  'map[__proto__:map[x:1]]map[__proto__:map[x:1] b:map[x:1]]',
);
test(
  printed,
  '{{ fromToml "[__proto__]\\nx = 1\\n[constructor.prototype]\\nx = 1" }}',
  'map[__proto__:map[x:1] constructor:map[prototype:map[x:1]]]',
);
test(printed, '{{ urlParse "http://h/?__proto__=1" | toJson | len | lt 0 }}{{ split "," "a" }}', 'truemap[_0:a]');

// the order of keys that look like numbers
const numbers = 'dict "10" "a" "9" "b" "2" "c" "-1" "d" "1.5" "e"';
test(printed, `{{ ${numbers} }}`, 'map[-1:d 1.5:e 10:a 2:c 9:b]');
test(printed, `{{ range $k, $v := ${numbers} }}{{ $k }}={{ $v }} {{ end }}`, '-1=d 1.5=e 10=a 2=c 9=b ');
test(printed, `{{ ${numbers} | toJson }}`, '{"-1":"d","1.5":"e","10":"a","2":"c","9":"b"}');
test(printed, `{{ ${numbers} | toYaml }}`, '"-1": d\n"1.5": e\n"2": c\n"9": b\n"10": a');
test(printed, `{{ keys (${numbers}) | sortAlpha | join " " }}`, '-1 1.5 10 2 9');
test(printed, `{{ ${numbers} | toJson | fromJson | toToml }}`, '-1 = "d"\n"1.5" = "e"\n10 = "a"\n2 = "c"\n9 = "b"\n');
test(printed, `{{ printf "%v %+v" (${numbers}) (dict "2" 1 "10" 2) }}`, 'map[-1:d 1.5:e 10:a 2:c 9:b] map[10:2 2:1]');

const sets = test.macro({
  title: (_, set: (line: string, target: ValueMap) => void, line: string) =>
    `${set.name} ${line} sets keys as any other`,
  exec(t, set: (line: string, target: ValueMap) => void, line: string, expected: string) {
    const target: ValueMap = new Map<string, Value>();
    set(line, target);
    t.is(encodeJson(target, { escapeHtml: false }), expected);
  },
});
test(
  sets,
  setValues,
  '__proto__.x=1,constructor.prototype.x=1',
  '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
);
test(sets, setValues, 'a.__proto__[0].x=1', '{"a":{"__proto__":[{"x":1}]}}');
test(sets, setStrings, '__proto__.x=1', '{"__proto__":{"x":"1"}}');
test(sets, setLiteral, 'constructor.prototype.x=1', '{"constructor":{"prototype":{"x":"1"}}}');
test(sets, setJson, '__proto__={"x":1},a={"__proto__":{"x":1}}', '{"__proto__":{"x":1},"a":{"__proto__":{"x":1}}}');
test(sets, setValues, '10=a,9=b,2=c', '{"10":"a","2":"c","9":"b"}');

test("keeps such keys in values files, in Go's order", (t) => {
  const values = readYamlMap('__proto__: {x: 1}\nconstructor: {prototype: {x: 1}}\n10: a\n9: b\n');
  t.is(writeYaml(values), '__proto__:\n  x: 1\n"9": b\n"10": a\nconstructor:\n  prototype:\n    x: 1\n');
  t.is(sprintf('%v', [values]), 'map[10:a 9:b __proto__:map[x:1] constructor:map[prototype:map[x:1]]]');
});

test('accepts such keys everywhere in a chart', async (t) => {
  const more = 'annotations: {__proto__: a, constructor: b}\n__proto__: {x: 1}\n';
  const chart = await loadArchive(
    await archiveOf({
      'c/Chart.yaml': chartYaml('c', more),
      'c/values.yaml': '__proto__: {x: 1}\n',
      'c/values.schema.json': '{"properties": {"__proto__": {"required": ["constructor"]}}, "__proto__": {"x": 1}}',
      'c/__proto__': 'file',
      'c/Chart.lock': '__proto__: {x: 1}\n',
    }),
  );
  t.deepEqual(Object.entries(chart.metadata.annotations ?? {}), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
  t.throws(() => validateValues(chart, chart.values), { message: /at '\/__proto__': missing property 'constructor'/ });
});

test('reads a packet with such keys as data', (t) => {
  const packet = '{"type":"install_release","__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"payload":"{}"}';
  t.notThrows(() => decodePacket(packet));
});
