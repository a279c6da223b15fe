import test from 'ava';
import nunjucks from 'nunjucks';
import { renderOne } from './render-one.ts';

// For texts, lists and whole numbers, this engine writes the same as stock Nunjucks.

const partials = {
  '_macros.njk':
    '{% set greeting = "hi" %}{% set _secret = 1 %}{% macro hello(name, mark="!") %}{{ greeting }} {{ name }}{{ mark }}{% endmacro %}' +
    '{% macro wrap(tag) %}<{{ tag }}>{{ caller() }}</{{ tag }}>{% endmacro %}',
  '_part.njk': '[{{ shown }}{% set shown = "changed" %}{{ shown }}]',
  '_base.njk':
    'top {% block a %}base a{% endblock %} | {% block b %}base b {% block inner %}inner{% endblock %}{% endblock %} {{ late }} end',
  '_middle.njk': '{% extends "_base.njk" %}{% block a %}middle+{{ super() }}{% endblock %}',
};

const templates = [
  'plain text\n  with lines\n',
  'a {{- " b " -}} c {%- if true -%} d {%- endif -%} e {#- gone -#} f',
  '{% raw %}{{ x }}{% if %}{% endraw %} {% verbatim %}{{ y }}{% endverbatim %}',
  '{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 7 // 2 }} {{ 7 % 3 }} {{ 2 ** 10 }} {{ -3 + 1 }} {{ 10 - 4 - 3 }} {{ 7 / 2 }}',
  '{{ "a" + "b" }} {{ "a" ~ 1 ~ true }} {{ \'it\\\'s\' }} {{ "tab\\tline\\n" }}',
  '{{ 1 == 1 }} {{ 1 != 2 }} {{ "a" === "a" }} {{ 1 !== 2 }} {{ 1 < 2 }} {{ 2 <= 2 }} {{ 3 > 4 }} {{ 4 >= 5 }} {{ "a" < "b" }}',
  '{{ true and false }} {{ "" or "x" }} {{ "y" and "z" }} {{ not true }} {{ not "" }}',
  '{{ "yes" if true else "no" }} {{ "yes" if false else "no" }} [{{ "yes" if false }}]',
  '{{ 2 in [1, 2] }} {{ "b" in "abc" }} {{ "x" not in "abc" }} {{ "k" in {k: 1} }}',
  '{{ [10, 20][1] }} {{ {a: {b: "deep"} }.a.b }} {{ {"x-y": 1}["x-y"] }} {{ [1, 2, 3].length }}',
  '{% for x in ["a", "b", "c"] %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ x }} {% endfor %}',
  '{% for x in [] %}never{% else %}none{% endfor %}',
  '{% for a, b in [["x", 1], ["y", 2]] %}{{ a }}={{ b }};{% endfor %}',
  '{% for k, v in {a: 1, b: 2} %}{{ k }}={{ v }};{% endfor %}',
  '{% for i in [1, 2] %}{% for j in [3, 4] %}{{ i }}{{ j }}{{ loop.index }} {% endfor %}{{ loop.index }};{% endfor %}',
  '{% for i in range(3) %}{{ i }}{% endfor %} {% for i in range(2, 8, 3) %}{{ i }}{% endfor %} {% for i in range(3, 0, -1) %}{{ i }}{% endfor %}',
  '{% if false %}a{% elif true %}b{% else %}c{% endif %}{% if false %}a{% elseif false %}b{% else %}c{% endif %}',
  '{% set x = 1 %}{% for i in [1, 2, 3] %}{% set x = x + i %}{% endfor %}{{ x }}',
  '{% for i in [1] %}{% set inside = 5 %}{{ inside }}{% endfor %}{{ "gone" if inside is undefined }}',
  '{% set a, b = 3 %}{{ a }}{{ b }} {% set text %}x{{ a }}y{% endset %}{{ text }}{{ text }}',
  '{% if true %}{% set x = "kept" %}{% endif %}{{ x }}',
  '{% switch 2 %}{% case 1 %}one{% case 2 %}{% case 3 %}two or three{% default %}other{% endswitch %}',
  '{% switch "z" %}{% case 1 %}one{% default %}other{% endswitch %}',
  '{% macro f(a, b=2, c="c") %}({{ a }},{{ b }},{{ c }}){% endmacro %}{{ f(1) }}{{ f(1, 5) }}{{ f(1, c="z") }}{{ f(a=9) }}',
  '{% set seen = "top" %}{% macro f() %}{{ seen }}{% endmacro %}{% set seen = "later" %}{{ f() }}',
  '{% macro fact(n) %}{% if n < 2 %}1{% else %}{{ n }}*{{ fact(n - 1) }}{% endif %}{% endmacro %}{{ fact(4) }}',
  '{% import "_macros.njk" as m %}{{ m.hello("you") }} {{ m.greeting }} {{ m.hello("you", mark="?") }}',
  '{% from "_macros.njk" import hello, wrap as around %}{{ hello("x") }}{% call around("b") %}in{{ 1 }}{% endcall %}',
  '{% from "_macros.njk" import wrap %}{% set outer = "o" %}{% for i in [1, 2] %}{% call wrap("i") %}{{ outer }}{{ i }}{% endcall %}{% endfor %}',
  '{% macro each(xs) %}{% for x in xs %}{{ caller(x, loop.index) }}{% endfor %}{% endmacro %}{% call(x, n) each(["a", "b"]) %}{{ n }}{{ x }};{% endcall %}',
  '{% set shown = "mine" %}{% include "_part.njk" %}{{ shown }}',
  '{% for shown in ["a", "b"] %}{% include "_part.njk" %}{% endfor %}{% include "_none.njk" ignore missing %}',
  '{% extends "_base.njk" %}dropped{% set late = "set" %}{% block b %}mine{% endblock %}',
  '{% extends "_middle.njk" %}{% set late = "set" %}{% block a %}child+{{ super() }}{% endblock %}{% block inner %}my inner{% endblock %}',
  '{% extends "_base.njk" %}{% from "_macros.njk" import wrap %}{% set late = 1 %}{% block a %}{% call wrap("i") %}{{ super() }}{% endcall %}{% endblock %}',
  '{% set late = 1 %}{% block a %}here{% endblock %} and {% block b %}{{ late }}{% endblock %}',
  '{% set late = "" %}{% if true %}{% extends "_base.njk" %}{% endif %}',
  '{{ nothing is defined }} {{ nothing is undefined }} {{ "s" is string }} {{ 3 is number }} {{ null is null }} {{ none is none }}',
  '{{ 4 is even }} {{ 4 is odd }} {{ 9 is divisibleby(3) }} {{ 3 is eq(3) }} {{ 3 is not lt(2) }} {{ [1] is iterable }} {{ {a: 1} is mapping }} {{ "ABC" is upper }}',
  '[{{ null }}] {{ "x" if nothing }}{{ "y" if not nothing.at.all }} {{ nothing or "fallback" }}',
  '{# a comment {{ x }} #}after',
  '{{ "é日𝒳" }} {% set é = 1 %}{{ é }}',
];

/** Reads the templates of the test. */
class TextLoader extends nunjucks.Loader {
  getSource(name: string) {
    const src = new Map(Object.entries(partials)).get(name);
    return src === undefined ? null : { src, path: name, noCache: true };
  }
}

// the types require a source, but the library accepts null for "not found"
const stock = new nunjucks.Environment(new TextLoader() as unknown as nunjucks.ILoader, { autoescape: false });

for (const template of templates) {
  test(`writes what stock Nunjucks writes: ${template}`, (t) => {
    t.is(renderOne(template, '', { partials }), stock.renderString(template, {}));
  });
}
