import test from 'ava';
import { defaultRenderLimits } from '../../../src/render/limits.ts';
import { RenderError } from '../../../src/render/render-error.ts';
import { renderOne } from './render-one.ts';

const small = { ...defaultRenderLimits, steps: 10_000, outputBytes: 50_000 };
const partials = {
  '_self.njk': '{% include "_self.njk" %}',
  '_a.njk': '{% extends "_b.njk" %}',
  '_b.njk': '{% extends "_a.njk" %}',
  '_i.njk': '{% import "_i.njk" as i %}',
};

const isOver = test.macro<[text: string, line?: number]>({
  exec(t, text, line = 1) {
    const error = t.throws(() => renderOne(text, '', { partials, limits: small }), { instanceOf: RenderError });
    t.is(error.code, 'render_limit');
    t.truthy(error.position?.file);
    t.is(error.position?.line, line);
  },
  title: (_, text) => `${text} is over a limit`,
});

test(isOver, 'a\n{% for i in range(20000) %}{% endfor %}', 2);
test(isOver, '{% for i in range(200) %}{% for j in range(200) %}{{ i }}{% endfor %}{% endfor %}');
test(isOver, '{{ range(100000000) | len }}');
test(isOver, '{{ until(100000000) | len }}');
test(isOver, '{{ "a" | repeat(60000) }}');
test(isOver, '{% set x = "aaaaaaaaaa" %}{% for i in range(100) %}{% set x = x ~ x %}{% endfor %}');
test(isOver, '{% set x = "aaaaaaaaaa" %}{% for i in range(100) %}{% set x = x + x %}{% endfor %}');
test(isOver, '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}');
test(isOver, '{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}');
test(isOver, '{% include "_self.njk" %}');
test(isOver, '{% extends "_a.njk" %}');
test(isOver, '{% import "_i.njk" as i %}');
test(isOver, '{% block a %}{% include "page.yaml" %}{% endblock %}');
test(isOver, '{{ include("page.yaml") }}');

test('limits a template that includes itself through tpl', (t) => {
  const error = t.throws(() => renderOne('{{ tpl(Values.t) }}', 't: "{{ tpl(Values.t) }}"'), {
    instanceOf: RenderError,
  });
  t.is(error.code, 'render_limit');
  t.is(error.position?.file, 'web/templates/page.yaml');
});

test('accepts deeply nested macros', (t) => {
  const text =
    '{% macro down(n) %}{% if n > 0 %}{{ down(n - 1) }}{% else %}bottom{% endif %}{% endmacro %}{{ down(300) }}';
  t.is(renderOne(text), 'bottom');
});

test('rejects an expression that is nested too deeply', (t) => {
  const error = t.throws(() => renderOne(`{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`), {
    instanceOf: RenderError,
  });
  t.is(error.code, 'render_limit');
  t.is(error.position?.file, 'web/templates/page.yaml');
});

test('rejects an unclosed raw block in linear time', (t) => {
  const error = t.throws(() => renderOne(`a\n{% raw %}${'x {% '.repeat(50_000)}`), { instanceOf: RenderError });
  t.regex(error.message, /^parse error at \(web\/templates\/page.yaml:2:9\): the raw block is not closed$/);
  t.is(
    renderOne('{% raw %}{{ {% raw %} }}{% endraw %}{% endraw %}|{% verbatim %}{% x %}{% endverbatim %}'),
    '{{ {% raw %} }}{% endraw %}|{% x %}',
  );
});

test('matches every pattern in linear time', (t) => {
  t.is(renderOne(`{{ regexMatch("(a+)+$", "${'a'.repeat(5_000)}!") }}`), 'false');
});
