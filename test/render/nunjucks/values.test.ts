import test from 'ava';
import { functionMap } from '../../../src/functions/function-map.ts';
import { int64, type ValueMap } from '../../../src/go/value.ts';
import { boundFunctions } from '../../../src/render/gotpl/bound-functions.ts';
import type { RenderNotice } from '../../../src/render/notice.ts';
import { builtins } from '../../../src/template/execute/builtins.ts';
import { fixedHost } from '../../support/host.ts';
import { renderOne } from './render-one.ts';

const prints = test.macro<[text: string, expected: string, values?: string | ValueMap]>({
  exec(t, text, expected, values = '') {
    t.is(renderOne(text, values), expected);
  },
  title: (_, text, expected) => `${text} is ${expected}`,
});

const numbers = 'whole: 80\nbig: 1000000\nhalf: 1.5\n';
test(prints, '{{ Values.whole }} {{ Values.big }} {{ Values.half }}', '80 1e+06 1.5', numbers);
test(
  prints,
  '{{ 1000000 }} {{ 9223372036854775807 }} {{ 1.0 }} {{ 0.1 + 0.2 }}',
  '1000000 9223372036854775807 1 0.30000000000000004',
);
test(prints, '{{ Values.set }}', '9007199254740993', new Map([['set', int64(9007199254740993n)]]));
test(prints, '{{ Values.whole + 1 }} {{ 2 * Values.half }} {{ -Values.whole }}', '81 3 -80', numbers);
test(
  prints,
  '{{ Values.whole == 80 }} {{ 80 in [Values.whole] }} {{ Values.whole >= 80 }} {{ eq(Values.whole, 80) }}',
  'true true true true',
  numbers,
);
test(prints, '{{ 7 // 2 }} {{ -7 // 2 }} {{ 7.5 // 2 }} {{ -7 % 3 }} {{ 6 / 3 }} {{ 1 / 4 }}', '3 -4 3 -1 2 0.25');
test(
  prints,
  '{{ typeOf(1) }} {{ typeOf(1.0) }} {{ typeOf(2 * 3) }} {{ typeOf(4 / 2) }} {{ typeOf(Values.whole) }}',
  'int float64 int float64 float64',
  numbers,
);
test(prints, '{{ "1" == 1 }} {{ true == 1 }} {{ [1, {a: 2}] == [1, {a: 2}] }}', 'false false true');

test(prints, '{{ Values }}', 'map[a:[1 two map[b:<nil>]] c:true]', 'c: true\na: [1, two, {b: null}]');
test(prints, '[{{ Values.empty }}{{ null }}]', '[]', 'empty: null');
test(prints, '{{ "<b>&" }}{{ Values.text }}', '<b>&"quoted" <i>', `text: '"quoted" <i>'`);
test(
  prints,
  '{{ Release.Name }} {{ Release.Revision }} {{ Release.IsInstall }} {{ Chart.Name }} {{ Chart.Version }}',
  'demo 1 true web 1.2.3',
);
test(
  prints,
  '{{ Capabilities.KubeVersion }} {{ Capabilities.KubeVersion.Minor }} {{ Capabilities.APIVersions.Has("v1") }}',
  'v1.33.4 33 true',
);
test(prints, '{{ Template.Name }} {{ Template.BasePath }}', 'web/templates/page.yaml web/templates');

test(
  prints,
  '{% for k, v in Values %}{{ k }}{{ v }} {% endfor %}',
  '1a 10b a1 b2 é3 ',
  'é: 3\nb: 2\na: 1\n"10": b\n"1": a',
);
test(prints, '{% for v in Values %}{{ v }}{% endfor %}', '12', 'b: 2\na: 1');
test(
  prints,
  '{% for x in Values.nothing or [] %}x{% else %}none{% endfor %}{% for x in Values.nil %}x{% else %}null{% endfor %}',
  'nonenull',
  'nil: null',
);
test(
  prints,
  '{{ Values.m[80] }}{{ Values.m["80"] }} {{ Values.l[1] }} {{ Values.l[Values.one] }}',
  'xx b b',
  'm: {80: x}\nl: [a, b]\none: 1',
);
test(
  prints,
  '{% if Values.list %}a{% endif %}{% if Values.map %}b{% endif %}{% if Values.no.such %}c{% endif %}{% if not Values.zero %}d{% endif %}',
  'd',
  'list: []\nmap: {}\nzero: 0',
);
test(
  prints,
  '{{ Values.a.b.c or "x" }}{{ Values.a.b | default("y") }}{{ default("z", Values.a) }}{{ coalesce(Values.a, Values.b, 1) }}{{ empty(Values.a) }}',
  'xyz1true',
);
test(
  prints,
  '{{ Values.a is defined }} {{ Values.nil is defined }} {{ Values.nil is none }}',
  'false true true',
  'nil: null',
);
test(prints, '{% set m = {a: 1} %}{{ set(m, "b", Values.x) | toJson }}{{ m.b }}', '{"a":1,"b":"v"}v', 'x: v');

// functions, with the piped value last
test(prints, '{{ "x" | indent(2) }}|{{ indent(2, "x") }}|{{ "a b" | replace(" ", "-") | upper }}', '  x|  x|A-B');
test(prints, '{{ Values | toYaml }}', 'a:\n- 1\n- b: c', 'a: [1, {b: c}]');
test(prints, '{{ Values.s | b64enc | b64dec | sha256sum | trunc(8) }}', 'ba7816bf', 's: abc');
test(prints, '{{ indent(Values.two, "x") }}{{ "a" | repeat(Values.two) }}', '  xaa', 'two: 2');
test(
  prints,
  '{{ [3, 1, 2] | sortAlpha | join(",") }} {{ ["a", "b"] | has("a") }} {{ dict("k", 1).k }} {{ list(1, 2) | len }} {{ "abc" | length }}',
  '1,2,3 true 1 2 3',
);
test(
  prints,
  '{{ printf("%05d|%-4s|%v", 42, "a", [1]) }} {{ print("a", 1, 2) }} {{ index(Values.l, 1) }}',
  '00042|a   |[1] a1 2 b',
  'l: [a, b]',
);
test(
  prints,
  '{{ floor(2.5) }} {{ add(1, 2) }} {{ semver("1.2.3").Minor() }} {{ semver("1.2.3").String() }}',
  '2 3 2 1.2.3',
);
test(prints, '{% filter upper %}a{{ 1 }}{% endfilter %}{% filter nindent(2) %}x{% endfilter %}', 'A1\n  x');
test(prints, '{{ required("m", Values.x) }}{{ 0 | required("m") }}', 'v0', 'x: v');
test(prints, '{{ ternary("a", "b", true) }}{{ true | ternary("a", "b") }}', 'aa');
test(prints, '{% set list = [1] %}{{ list }}', '[1]');
test(
  prints,
  '{{ tpl("{{ Values.x }} {{ 1 + 1 }}") }} {{ Values.t | tpl }}',
  'v 2 demo',
  'x: v\nt: "{{ Release.Name }}"',
);

test('reads files of the chart with their methods', (t) => {
  const files = { 'conf/a.txt': 'one\ntwo\n', 'conf/b.txt': 'b' };
  t.is(renderOne('{{ Files.Get("conf/b.txt") }}', '', { files }), 'b');
  t.is(renderOne('{% for l in Files.Lines("conf/a.txt") %}<{{ l }}>{% endfor %}', '', { files }), '<one><two>');
  t.is(renderOne('{{ Files.Glob("conf/*").AsConfig() }}', '', { files }), 'a.txt: |\n  one\n  two\nb.txt: b');
  t.is(renderOne('{% for path, data in Files.Glob("conf/b*") %}{{ path }}{% endfor %}', '', { files }), 'conf/b.txt');
});

test('takes the result of a lookup from the table, or records that it is missing', (t) => {
  const text =
    '{{ lookup("v1", "Secret", "prod", "known").data.key }} {{ lookup("v1", "Secret", "prod", "new") | len }}';
  const known = JSON.stringify(['v1', 'Secret', 'prod', 'known']);
  const lookups = { results: new Map([[known, { data: { key: 'value' } }]]), missing: [] };
  t.is(renderOne(text, '', { lookups }), 'value 0');
  t.deepEqual(lookups.missing, [{ apiVersion: 'v1', kind: 'Secret', namespace: 'prod', name: 'new' }]);
});

test('finds nothing in a lookup without a cluster', (t) => {
  t.is(renderOne('{{ lookup("v1", "Secret", "prod", "x") | len }}'), '0');
});

test('provides every function of Go templates as function and filter, except the operators and, or and not', (t) => {
  const operators = ['and', 'or', 'not', 'call'];
  const names = new Set([...builtins.keys(), ...functionMap(fixedHost).keys(), ...boundFunctions.keys()]);
  for (const name of names) {
    if (operators.includes(name)) continue;
    t.is(renderOne(`{{ ${name} is callable }}{% if false %}{{ 1 | ${name} }}{% endif %}`), 'true', name);
    const error = t.throws(() => renderOne(`{{ upper | ${name} }}`), undefined, name);
    t.notRegex(error.message, /there is no filter/, name);
  }
});

test('provides the methods of values, but prefers keys', (t) => {
  t.is(renderOne('{{ Values.YAML() }}{{ Values.AsMap().a }}', 'a: 1'), 'a: 1\n1');
  t.is(renderOne('{{ Values.YAML }}', 'YAML: mine'), 'mine');
  t.is(renderOne('[{{ Values.YAML }}]', 'YAML: null'), '[]');
  t.is(renderOne('{{ Template.YAML() }}'), 'BasePath: web/templates\nName: web/templates/page.yaml\n');
});

test('does not change undefined values in strict mode', (t) => {
  t.is(renderOne('{{ Values.x or "d" }}', '', { strict: true }), 'd');
  t.throws(() => renderOne('{{ Values.x }}', '', { strict: true }), { message: /Values\.x is undefined/ });
});

test('does not fail in required and fail in lint mode', (t) => {
  const notices: RenderNotice[] = [];
  const notice = (said: RenderNotice) => notices.push(said);
  renderOne('{{ required("m", Values.x) }}{{ required("n", "") }}{{ fail("no") }}', '', { lint: true, notice });
  t.deepEqual(notices, [
    { level: 'WARN', message: 'missing required value', attributes: { message: 'm' } },
    { level: 'WARN', message: 'missing required values', attributes: { message: 'n' } },
    { level: 'INFO', message: 'funcMap fail', attributes: { message: 'no' } },
  ]);
  t.is(renderOne('[{{ required("m", Values.x) }}{{ fail("no") }}]', '', { lint: true }), '[]');
});
