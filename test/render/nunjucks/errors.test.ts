import test from 'ava';
import { RenderError } from '../../../src/render/render-error.ts';
import { renderOne } from './render-one.ts';

const values = 'name: web\nimage: {}\nempty: null\nlist: [1, 2]\nport: 80\n';

type Case = [text: string, message: string, line: number, column: number];

const fails = test.macro<Case>({
  exec(t, text, message, line, column) {
    const error = t.throws(() => renderOne(text, values), { instanceOf: RenderError });
    const place = `web/templates/page.yaml:${line}:${column}`;
    t.is(error.message, `execution error at (${place}): ${message}`);
    t.is(error.code, 'render_failed');
    t.deepEqual(error.position, { file: 'web/templates/page.yaml', line, column });
  },
  title: (_, text, message) => `${text} fails: ${message}`,
});

test(fails, '{{ Values.nam }}', 'Values.nam is undefined', 1, 3);
test(fails, 'kind: X\nname: {{ Values.image.tag }}', 'Values.image.tag is undefined', 2, 9);
test(fails, '{{ Values.imag.tag.x }}', 'Values.imag.tag.x is undefined: there is no Values.imag', 1, 3);
test(fails, '{{ Values.empty.tag }}', 'Values.empty.tag is undefined: there is no Values.empty', 1, 3);
test(fails, '{{ Values["x-y"].z }}', 'Values["x-y"].z is undefined: there is no Values["x-y"]', 1, 3);
test(fails, '{{ Values.list[5] }}', 'Values.list[5] is undefined', 1, 3);
test(fails, 'é {{ "é" ~ nothing }}', 'nothing is undefined', 1, 13);
test(fails, '{{ nothing + 1 }}', 'nothing is undefined', 1, 3);
test(fails, '{{ 1 < nothing }}', 'nothing is undefined', 1, 7);
test(fails, '{{ nothing == 1 }}', 'nothing is undefined', 1, 3);
test(fails, '{{ 1 in nothing }}', 'nothing is undefined', 1, 8);
test(fails, '{{ [1, nothing] }}', 'nothing is undefined', 1, 7);
test(fails, '{{ {a: nothing} }}', 'nothing is undefined', 1, 7);
test(fails, '{{ nothing() }}', 'nothing is undefined', 1, 3);
test(fails, '{{ Values.nothing.at.all() }}', 'Values.nothing.at.all is undefined: there is no Values.nothing', 1, 3);
test(fails, '{{ Values[nothing] }}', 'nothing is undefined', 1, 3);
test(fails, '{{ nothing | upper }}', 'nothing is undefined', 1, 13);
test(fails, '{% for x in nothing %}{% endfor %}', 'nothing is undefined', 1, 12);
test(fails, '{% switch nothing %}{% case 1 %}{% endswitch %}', 'nothing is undefined', 1, 10);
test(fails, '{% switch 1 %}{% case nothing %}{% endswitch %}', 'nothing is undefined', 1, 22);
test(fails, '{% include nothing %}', 'nothing is undefined', 1, 11);
test(fails, '{% set x = Values.nothing %}\n{{ x }}', 'Values.nothing is undefined', 2, 3);
test(fails, '{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}', 'a is undefined', 1, 19);

test(fails, '{{ Values.name.first }}', 'Values.name.first: a value of type string has no member "first"', 1, 3);
test(fails, '{{ Values.list.first }}', 'Values.list.first: a value of type []interface {} has no member "first"', 1, 3);
test(
  fails,
  '{{ Values[Values] }}',
  'Values[Values]: a key must be a text or a number, not a value of type common.Values',
  1,
  3,
);
test(fails, '{{ Values.name() }}', 'Values.name is not a function but a value of type string', 1, 3);
test(fails, '{{ toYaml }}', 'toYaml is a function: call it with parentheses', 1, 3);
test(fails, '{{ Files.Get }}', 'Get is a function: call it with parentheses', 1, 3);
test(fails, '{{ [upper] }}', 'upper is a function: call it with parentheses', 1, 4);
test(fails, '{{ 1 | nothing }}', 'there is no filter nothing', 1, 7);
test(fails, '{{ "x" | indent("y") }}', 'wrong argument for indent: expected int, got string', 1, 9);
test(fails, '{{ indent(1.5, "y") }}', 'wrong argument for indent: expected int, got float64', 1, 3);
test(fails, '{{ indent(1) }}', 'wrong number of args for indent: want 2 got 1', 1, 3);
test(fails, '{{ indent(1, "x", by=2) }}', 'indent takes no named arguments', 1, 3);
test(
  fails,
  '{{ {a: 1} + 1 }}',
  '+ needs two numbers: one is a value of type map[string]interface {}, the other a value of type int (to join texts use ~)',
  1,
  3,
);
test(fails, '{{ "1" - 1 }}', '- needs two numbers: one is a value of type string, the other a value of type int', 1, 3);
test(fails, '{{ 1 // 0 }}', 'division by zero', 1, 3);
test(fails, '{{ 1 % 0.0 }}', 'division by zero', 1, 3);
test(fails, '{{ -"x" }}', '- needs a number, not a value of type string', 1, 4);
test(
  fails,
  '{{ "1" < 2 }}',
  'only two numbers or two texts can be ordered: one is a value of type string, the other a value of type int',
  1,
  7,
);
test(fails, '{{ 1 in 2 }}', 'in needs a map, a list or two texts, not a value of type int', 1, 3);
test(fails, '{% for x in 3 %}{% endfor %}', 'a loop needs a list or a map, not a value of type int', 1, 12);
test(fails, '{% for x in "abc" %}{% endfor %}', 'a loop needs a list or a map, not a value of type string', 1, 12);
test(
  fails,
  '{% for a, b in [1] %}{% endfor %}',
  'a loop with 2 names over a list needs lists of 2 elements in it',
  1,
  15,
);
test(
  fails,
  '{% for a, b, c in {x: 1} %}{% endfor %}',
  'a loop over a map has one name for the value, or two for key and value',
  1,
  18,
);
test(fails, '{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}', 'm takes at most 1 arguments, not 2', 1, 33);
test(fails, '{% macro m(a) %}{% endmacro %}{{ m(b=2) }}', 'm has no parameter b', 1, 33);
test(fails, '{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}', 'm receives a twice', 1, 33);
test(fails, '{{ super() }}', 'super() can be used only in blocks', 1, 3);
test(fails, '{% block a %}{{ super() }}{% endblock %}', 'no template above has a block a', 1, 16);
test(fails, '{{ fail("no way") }}', 'no way', 1, 3);
test(fails, 'a\n{{ Values.empty | required("set Values.empty") }}', 'set Values.empty', 2, 18);
test(fails, '{{ range(1, 2, 0) }}', 'error calling range: the step must not be 0', 1, 3);
test(fails, '{{ tpl("a\\n{{ b }}") }}', 'error calling tpl: execution error at (tpl:2:3): b is undefined', 1, 3);
test(fails, '{{ tpl("{% if %}") }}', 'error calling tpl: parse error at (tpl:1:6): unexpected token: %}', 1, 3);

const failsToParse = test.macro<Case>({
  exec(t, text, message, line, column) {
    const error = t.throws(() => renderOne(text, values), { instanceOf: RenderError });
    t.is(error.message, `parse error at (web/templates/page.yaml:${line}:${column}): ${message}`);
    t.is(error.code, 'render_failed');
    t.deepEqual(error.position, { file: 'web/templates/page.yaml', line, column });
  },
  title: (_, text) => `${text} does not parse`,
});

test(failsToParse, 'a\n{% if x %}b', 'parseIf: expected elif, else, or endif, got end of file', 2, 11);
test(failsToParse, '{% nothing %}', 'unknown block tag: nothing', 1, 3);
test(failsToParse, '{{ f(1 }}', 'parseSignature: expected comma after expression', 1, 7);
test(failsToParse, '{{ f(1', 'unexpected end of template or tag', 1, 6);
test(failsToParse, '{# open', 'expected end of comment, got end of file', 1, 7);
test(failsToParse, '{{ 1 < 2 < 3 }}', 'comparisons cannot be chained: join them with and', 1, 5);
test(failsToParse, '{{ (1, 2) }}', 'parentheses must contain one expression; write a list in brackets', 1, 3);
test(failsToParse, '{{ {1: 2} }}', 'the key of a map must be a name or a text', 1, 4);
test(failsToParse, '{{ x[] }}', 'there is no key between the brackets', 1, 3);
test(
  failsToParse,
  '{{ r/a+/g }}',
  'there are no regular expression literals: use regexMatch and similar functions',
  1,
  3,
);
test(failsToParse, '{{ 99999999999999999999 }}', '99999999999999999999 does not fit into 64 bits', 1, 3);
test(failsToParse, '{{ 1 is nothing }}', 'there is no test nothing', 1, 8);
test(failsToParse, '{{ 1 is divisibleby }}', 'the test divisibleby takes one argument', 1, 8);
test(failsToParse, '{% set a.b = 1 %}', 'what is set must be a name', 1, 7);
test(
  failsToParse,
  '{% asyncEach x in [1] %}{% endeach %}',
  'asynchronous tags are not supported: use if and for',
  1,
  3,
);
test(failsToParse, '{% block a %}{% endblock %}{% block a %}{% endblock %}', 'there are two blocks a', 1, 30);
test(failsToParse, '{% macro m(a, a) %}{% endmacro %}', 'two parameters are named a', 1, 3);
