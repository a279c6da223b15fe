import test from 'ava';
import { int, type Value, type ValueMap } from '../../../src/go/value.ts';
import { RenderError } from '../../../src/render/render-error.ts';
import { renderOne } from './render-one.ts';

// Ways by which templates are known to get at JavaScript in Nunjucks and its kin.
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
  // names that would end a text in the JavaScript that Nunjucks writes
  `{{ x["\\\\"]() }}`,
  `{{ foo["a\\\\\\"](process.exit())//"]() }}`,
  `{{ 1 is "\\" + process.exit() + \\"" }}`,
  `{% block constructor %}{{ super() }}{% endblock %}`,
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

test('keys named as what JavaScript inherits are keys as any other', (t) => {
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

test('what a template builds under such names reaches no object', (t) => {
  const text =
    '{% set __proto__ = {polluted: 1} %}{% set x = {"__proto__": {polluted: 2}, constructor: 3} %}' +
    '{{ set(x, "__proto__", {polluted: 3}) | len }}{{ x.__proto__.polluted }}{{ x.constructor }}{{ __proto__.polluted }}';
  t.is(renderOne(text), '2331');
  t.false('polluted' in {});
});

test('variables, parameters, macros and blocks may have such names', (t) => {
  const text =
    '{% macro constructor(toString, __proto__="p") %}{{ toString }}{{ __proto__ }}{% endmacro %}{{ constructor(1) }}' +
    '{% block __proto__ %}b{% endblock %}{% for valueOf in [7] %}{{ valueOf }}{% endfor %}';
  t.is(renderOne(text), '1pb7');
});
