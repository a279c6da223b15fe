import test from 'ava';
import { int, type Value, type ValueMap } from '../../../src/go/value.ts';
import { RenderError } from '../../../src/render/render-error.ts';
import { renderOne } from './render-one.ts';

// Known ways to reach JavaScript from templates in Nunjucks and similar engines.
const escapes = [
  `{{ Values.constructor.constructor('return process')() }}`,
  `{{ Values['constructor']['constructor']('return process')() }}`,
  `{{ Values["con" ~ "structor"] }}`,
  `{{ Values.__proto__.x }}`,
  `{{ Values.list.constructor }}`,
  `{{ Values.list.map }}`,
  `{{ Values.list["push"](1) }}`,
  `{{ Values.list.__proto__ }}`,
  `{{ Values.text.constructor }}`,
  `{{ Values.text.replace("a", "b") }}`,
  `{{ Values.number.toFixed(2) }}`,
  `{{ Values.flag.constructor }}`,
  `{{ Values.get("list") }}`,
  `{{ Values.size }}`,
  `{{ Values.entries() }}`,
  `{{ ''.constructor.constructor('return this')() }}`,
  `{{ ''['constructor'] }}`,
  `{{ "x".at(0) }}`,
  `{{ 1.5.constructor }}`,
  `{{ (1).constructor }}`,
  `{{ true.constructor }}`,
  `{{ [].constructor }}`,
  `{{ [].at.constructor }}`,
  `{{ [].filter }}`,
  `{{ {}.__proto__ }}`,
  `{{ {}.constructor }}`,
  `{{ ({}).toString.constructor }}`,
  `{{ {}["__defineGetter__"] }}`,
  `{{ {__proto__: {a: 1} }.a }}`,
  `{{ range.constructor("return global.process.mainModule.require('child_process').execSync('id')")() }}`,
  `{{ cycler.constructor }}`,
  `{{ cycler.__init__.__globals__ }}`,
  `{{ joiner.constructor }}`,
  `{{ toYaml.call(1) }}`,
  `{{ toYaml.bind }}`,
  `{{ toYaml.name }}`,
  `{{ toYaml.prototype }}`,
  `{{ upper.apply(0, ["a"]) }}`,
  `{{ loop.constructor }}`,
  `{% for x in [1] %}{{ loop.constructor.constructor }}{% endfor %}`,
  `{% macro m() %}{% endmacro %}{{ m.constructor("return 1")() }}`,
  `{% macro m() %}{{ caller.constructor }}{% endmacro %}{% call m() %}{% endcall %}`,
  `{% macro m() %}x{% endmacro %}{{ m().constructor }}`,
  `{% import "_part.njk" as part %}{{ part.constructor }}`,
  `{% import "_part.njk" as part %}{{ part.__proto__ }}`,
  `{% from "_part.njk" import constructor %}{{ constructor }}`,
  `{{ self }}`,
  `{{ self._TemplateReference__context }}`,
  `{{ env }}`,
  `{{ context }}`,
  `{{ frame }}`,
  `{{ runtime }}`,
  `{{ process }}`,
  `{{ globalThis }}`,
  `{{ require("fs") }}`,
  `{{ this }}`,
  `{{ constructor }}`,
  `{{ __proto__ }}`,
  `{{ hasOwnProperty("x") }}`,
  `{{ toString() }}`,
  `{{ "x" | constructor }}`,
  `{{ "x" | __proto__ }}`,
  `{{ "x" | toString.constructor }}`,
  `{{ 1 is constructor }}`,
  `{{ 1 is __proto__ }}`,
  `{{ Capabilities.constructor }}`,
  `{{ Capabilities.KubeVersion.constructor }}`,
  `{{ Capabilities.APIVersions.Has.constructor }}`,
  `{{ Capabilities.field("KubeVersion") }}`,
  `{{ Files.Get.constructor("return 1")() }}`,
  `{{ Files["constructor"] }}`,
  `{{ Files.contents() }}`,
  `{{ now().constructor }}`,
  `{{ now().UTC.constructor }}`,
  `{{ r/x/.constructor }}`,
  `{{ r/x/g.source }}`,
  // names that would end a string in the JavaScript that Nunjucks generates
  `{{ x["\\\\"]() }}`,
  `{{ foo["a\\\\\\"](process.exit())//"]() }}`,
  `{{ 1 is "\\" + process.exit() + \\"" }}`,
  `{% block constructor %}{{ super() }}{% endblock %}`,
  // filters and globals of stock Nunjucks that take member names or functions
  `{{ joiner(",") }}`,
  `{{ cycler("a").next.constructor }}`,
  `{{ Values.list | groupby("constructor.constructor") }}`,
  `{{ Values.list | sort(false, false, "constructor.name") }}`,
  `{{ Values.list | map(attribute="constructor") }}`,
  `{{ Values.list | selectattr("constructor") }}`,
  `{{ Values.list | join(",", "constructor") }}`,
  `{{ Values.list | attr("constructor") }}`,
  `{{ Values.list | dump("", toYaml) }}`,
  `{{ Values.text | replace("a", toYaml) }}`,
  `{{ toJson(range) }}`,
  `{{ "a" | toYaml.call }}`,
  `{% filter constructor %}x{% endfilter %}`,
  `{% filter upper.constructor %}x{% endfilter %}`,
  // internals of keyword arguments, blocks and callers
  `{% macro m(a) %}{{ a }}{% endmacro %}{{ m(__keywords=true) }}`,
  `{% macro m() %}{{ kwargs }}{% endmacro %}{{ m() }}`,
  `{% macro m() %}{{ varargs }}{% endmacro %}{{ m() }}`,
  `{% macro m() %}{{ arguments }}{% endmacro %}{{ m() }}`,
  `{{ toYaml(__keywords=true) }}`,
  `{{ range(__proto__=1) }}`,
  `{{ super.constructor }}`,
  `{% block a %}{{ super.constructor }}{% endblock %}`,
  `{{ caller.constructor("return process")() }}`,
  `{% call upper() %}x{% endcall %}`,
  // variables with the names of globals, and members that cannot be set
  `{% set Values = {} %}{{ Values.constructor }}`,
  `{% set constructor = range %}{{ constructor.constructor }}`,
  `{% set __proto__ = {"x": 1} %}{{ x }}`,
  `{% set Values.x = 1 %}`,
  `{% set range.x = 1 %}`,
  // keys that JavaScript would convert to strings, and members that it would call
  `{{ Values[["constructor"]] }}`,
  `{{ Values[{toString: "constructor"}] }}`,
  `{{ Values[Symbol.iterator] }}`,
  `{{ Values["Symbol(Symbol.iterator)"] }}`,
  `{{ Values[range] }}`,
  `{{ {valueOf: 5} > 1 }}`,
  `{{ {valueOf: 1} + 1 }}`,
  `{{ {"a": 1}.toString() }}`,
  `{{ {"toJSON": range} | toJson }}`,
  `{{ Values.list["-1"] }}`,
  `{{ Values.text[0] }}`,
  `{% for x in Values.text %}{{ x }}{% endfor %}`,
  `{% for x in range %}{% endfor %}`,
  // data from other parsers
  `{{ fromJson('{"__proto__": {"p": 1}}').p }}`,
  `{{ fromYaml("__proto__: {p: 1}").p }}`,
  `{{ merge({}, fromJson('{"__proto__": {"p": 1}}')).p }}`,
  // templates with other names
  `{% include range %}`,
  `{% include ["page.yaml"] %}`,
  `{% include Values %}`,
  `{% extends Values.text %}`,
  `{% import "..%2f..%2fetc/passwd" as x %}`,
  `{{ tpl("{{ constructor }}") }}`,
  `{{ tpl("{% include '/etc/passwd' %}") }}`,
  // literals and statements of JavaScript
  `{{ r/(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!") }}`,
  `{{ 1; process.exit() }}`,
  '{{ `x` }}',
  `{{ x is defined.constructor }}`,
  `{% asyncEach x in [1] %}{{ x }}{% endeach %}`,
  `{% asyncAll x in [1] %}{{ x }}{% endall %}`,
  `{% ifAsync 1 %}{% endif %}`,
  `{{ env("HOME") }}`,
  `{{ expandenv("$HOME") }}`,
  `{% include "constructor" %}`,
  `{% include "__proto__" %}`,
  `{% extends "constructor" %}`,
];

for (const text of escapes) {
  test(`ends with an error: ${text}`, (t) => {
    const values = 'list: [1, 2]\ntext: abc\nnumber: 3\nflag: true\n';
    const error = t.throws(() => renderOne(text, values, { partials: { '_part.njk': '' } }), {
      instanceOf: RenderError,
    });
    t.is(error.code, 'render_failed');
    t.is(error.position?.line, 1);
  });
}

test('treats the names of inherited JavaScript members as ordinary keys', (t) => {
  const values: ValueMap = new Map<string, Value>([
    ['__proto__', 'a'],
    ['constructor', int(2)],
    ['hasOwnProperty', 'c'],
  ]);
  t.is(renderOne('{{ Values.__proto__ }}{{ Values.constructor }}{{ Values["hasOwnProperty"] }}', values), 'a2c');
  t.is(
    renderOne('{% for k, v in Values %}{{ k }}={{ v }};{% endfor %}', values),
    '__proto__=a;constructor=2;hasOwnProperty=c;',
  );
});

test('does not change JavaScript objects through such names', (t) => {
  const text =
    '{% set __proto__ = {polluted: 1} %}{% set x = {"__proto__": {polluted: 2}, constructor: 3} %}' +
    '{{ set(x, "__proto__", {polluted: 3}) | len }}{{ x.__proto__.polluted }}{{ x.constructor }}{{ __proto__.polluted }}';
  t.is(renderOne(text), '2331');
  t.false('polluted' in {});
});

test('accepts such names for variables, parameters, macros and blocks', (t) => {
  const text =
    '{% macro constructor(toString, __proto__="p") %}{{ toString }}{{ __proto__ }}{% endmacro %}{{ constructor(1) }}' +
    '{% block __proto__ %}b{% endblock %}{% for valueOf in [7] %}{{ valueOf }}{% endfor %}';
  t.is(renderOne(text), '1pb7');
});
