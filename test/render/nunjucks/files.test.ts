import test from 'ava';
import { defaultRenderLimits } from '../../../src/render/limits.ts';
import { RenderError } from '../../../src/render/render-error.ts';
import { chartOf, engine, renderOne, scoped } from './render-one.ts';

const run = { limits: defaultRenderLimits };

test('renders each file except partials', (t) => {
  const chart = chartOf({
    'a.yaml': '{{ Chart.Name }}',
    'sub/b.yaml': 'b',
    '_c.njk': 'c',
    'sub/_d.njk': 'd',
    'NOTES.txt': 'n',
  });
  const rendered = engine.render(scoped(chart), run);
  t.deepEqual([...rendered].sort(), [
    ['web/templates/NOTES.txt', 'n'],
    ['web/templates/a.yaml', 'web'],
    ['web/templates/sub/b.yaml', 'b'],
  ]);
});

test('rejects a partial with a syntax error even if nothing includes it', (t) => {
  const error = t.throws(() => renderOne('x', '', { partials: { '_bad.njk': '\n{% if %}' } }), {
    instanceOf: RenderError,
  });
  t.deepEqual(error.position, { file: 'web/templates/_bad.njk', line: 2, column: 6 });
});

test('an error in an included file or an imported macro names that file', (t) => {
  const partials = {
    '_part.njk': 'a\n{{ Values.x }}',
    '_macros.njk': '{% macro m() %}\n\n  {{ nothing }}{% endmacro %}',
  };
  const included = t.throws(() => renderOne('\n\n\n{% include "_part.njk" %}', '', { partials }), {
    instanceOf: RenderError,
  });
  t.deepEqual(included.position, { file: 'web/templates/_part.njk', line: 2, column: 3 });
  const imported = t.throws(() => renderOne('{% import "_macros.njk" as m %}{{ m.m() }}', '', { partials }), {
    instanceOf: RenderError,
  });
  t.deepEqual(imported.position, { file: 'web/templates/_macros.njk', line: 3, column: 5 });
});

const finds = test.macro<[from: string, name: string]>({
  exec(t, from, name) {
    const templates = {
      '_top.njk': 'top',
      'sub/_deep.njk': 'deep',
      'sub/_other.njk': 'other',
      [from]: `{% include "${name}" %}`,
    };
    t.regex(engine.render(scoped(chartOf(templates)), run).get(`web/templates/${from}`) ?? '', /^(?:top|deep)$/);
  },
  title: (_, from, name) => `${from} finds ${name}`,
});

test(finds, 'page.yaml', '_top.njk');
test(finds, 'page.yaml', 'sub/_deep.njk');
test(finds, 'page.yaml', './sub/_deep.njk');
test(finds, 'page.yaml', 'web/templates/_top.njk');
test(finds, 'page.yaml', 'sub/../_top.njk');
test(finds, 'sub/page.yaml', '_top.njk');
test(finds, 'sub/page.yaml', './_deep.njk');
test(finds, 'sub/page.yaml', '../_top.njk');

const outside = [
  '/etc/passwd',
  '../../../../etc/passwd',
  '../../values.yaml',
  'file:///etc/passwd',
  'page.yaml/../../../../../etc/passwd',
  '',
  '.',
  '..',
  'web/templates',
  'web/templates/../../other/templates/_secret.njk',
  '../../other/templates/_secret.njk',
  'other/templates/_secret.njk',
];

for (const name of outside) {
  for (const tag of [
    `{% include "${name}" %}`,
    `{% extends "${name}" %}`,
    `{% import "${name}" as x %}`,
    `{{ include("${name}") }}`,
  ]) {
    test(`nothing outside of the chart's templates can be had: ${tag}`, (t) => {
      const web = scoped(chartOf({ 'page.yaml': tag }));
      const other = chartOf({ '_secret.njk': 'secret' });
      other.metadata.name = 'other';
      t.throws(() => engine.render([...web, ...scoped(other)], run), {
        instanceOf: RenderError,
        message: `execution error at (web/templates/page.yaml:1:${tag.indexOf(tag.startsWith('{{') ? 'include' : '"')}): the chart has no template ${name}`,
      });
    });
  }
}

test('lets a chart use templates of its subcharts, but not the reverse', (t) => {
  const parent = chartOf({ 'page.yaml': '{% include "../charts/lib/templates/_name.njk" %}', '_mine.njk': 'mine' });
  const lib = chartOf({ '_name.njk': '{{ Chart.Name }} by {% include "_by.njk" %}', '_by.njk': 'lib' });
  lib.metadata.name = 'lib';
  parent.dependencies = [lib];
  t.is(engine.render(scoped(parent), run).get('web/templates/page.yaml'), 'web by lib');

  lib.templates = chartOf({ 'up.yaml': '{% include "../../../templates/_mine.njk" %}' }).templates;
  parent.templates = chartOf({ '_mine.njk': 'mine' }).templates;
  t.throws(() => engine.render(scoped(parent), run), {
    message: /lib\/templates\/up.yaml:1:11\): the chart has no template/,
  });
});

test('gives a subchart its own values and name', (t) => {
  const parent = chartOf({ 'a.yaml': '{{ Values.x }} {{ Chart.Name }}' });
  const child = chartOf({ 'b.yaml': '{{ Values.x }} {{ Chart.Name }} {{ Release.Name }}' });
  child.metadata.name = 'db';
  parent.dependencies = [child];
  const rendered = engine.render(scoped(parent, 'x: parent\ndb: {x: child}'), run);
  t.is(rendered.get('web/templates/a.yaml'), 'parent web');
  t.is(rendered.get('web/charts/db/templates/b.yaml'), 'child db demo');
});

test('an import sees the chart, and the variables of its place only with context', (t) => {
  const partials = { '_m.njk': '{% macro m() %}{{ Release.Name }}{{ x or "-" }}{% endmacro %}' };
  t.is(renderOne('{% set x = 1 %}{% import "_m.njk" as m %}{{ m.m() }}', '', { partials }), 'demo-');
  t.is(renderOne('{% set x = 1 %}{% import "_m.njk" as m with context %}{{ m.m() }}', '', { partials }), 'demo1');
});

test('returns the text of a template from the function include', (t) => {
  const partials = { '_p.njk': '{{ Values.x }}{{ y or "no y" }}' };
  const text = '{% set y = 2 %}{{ include("_p.njk") | upper }} {{ include(Template.BasePath ~ "/_p.njk") }}';
  t.is(renderOne(text, 'x: v', { partials }), 'VNO Y vno y');
});

test('keeps variables of one template out of another', (t) => {
  const chart = chartOf({ 'a.yaml': '{% set x = 1 %}{{ x }}', 'b.yaml': '{{ x or "none" }}' });
  const rendered = engine.render(scoped(chart), run);
  t.deepEqual([...rendered.values()].sort(), ['1', 'none']);
});

test('compiles a template again when its text changes', (t) => {
  t.is(renderOne('first {{ 1 }}'), 'first 1');
  t.is(renderOne('second {{ 2 }}'), 'second 2');
});
