import test from 'ava';
import { GoError, type GoFunction, GoObject, NamedMap, type Value } from '../../../src/go/value.ts';
import { Execution, type ExecutionOptions } from '../../../src/template/execute/execution.ts';
import type { FunctionTable } from '../../../src/template/function.ts';
import { TemplateExecError, TemplateLimitError, TemplateParseError } from '../../../src/template/template-error.ts';
import type { TemplateFile } from '../../../src/template/template-file.ts';
import { TemplateSet } from '../../../src/template/template-set.ts';
import { failure, render } from '../render.ts';

const functions: FunctionTable = new Map<string, GoFunction | Omit<GoFunction, 'call'>>([
  ['include', { params: ['string', 'interface {}'] }],
  ['tpl', { params: ['string', 'interface {}'] }],
  ['boom', { params: [], call: () => boom() }],
]);

function boom(): never {
  throw new GoError('boom');
}

function start(files: readonly TemplateFile[], options: Partial<ExecutionOptions> = {}): Execution {
  const execution: Execution = new Execution(TemplateSet.parse(files, { functions }), {
    missingKey: 'zero',
    calls: {
      include: (name: string, data: Value) => execution.execute(name, data),
      tpl: (text: string, data: Value) => execution.executeText({ name: 'gotpl', text }, data),
    },
    ...options,
  });
  return execution;
}

test('lets a bound function call a template and use its output', (t) => {
  const execution = start([
    { name: 'a', text: '<{{ include "b" . | len }}{{ include "b" . }}>' },
    { name: 'b', text: '{{ define "c" }}{{ . }}{{ end }}({{ template "c" .x }})' },
  ]);
  t.is(execution.execute('a', new Map([['x', 1]])), '<3(1)>');
});

test('reports the error of a template called by a function as the cause', (t) => {
  const execution = start([
    { name: 'a', text: 'a\n {{ include "b" . }}' },
    { name: 'b', text: '{{ .x.y }}' },
  ]);
  const error = t.throws(() => execution.execute('a', new Map()), { instanceOf: TemplateExecError });
  const inner = 'template: b:1:5: executing "b" at <.x.y>: nil pointer evaluating interface {}.y';
  t.is(error.message, `template: a:2:4: executing "a" at <include "b" .>: error calling include: ${inner}`);
  t.deepEqual(error.position, { name: 'a', line: 2, column: 4 });
  t.is(error.context, 'include "b" .');
  t.is(error.cause?.message, inner);
});

test('names the function in its error', (t) => {
  const message = 'template: a:1:3: executing "a" at <boom>: error calling boom: boom';
  t.throws(() => start([{ name: 'a', text: '{{ boom }}' }]).execute('a', null), { message });
});

test('rethrows an error that is not a GoError', (t) => {
  const execution = start([{ name: 'a', text: '{{ include "" . }}' }], {
    calls: {
      include: () => {
        throw new TypeError('defect');
      },
    },
  });
  t.throws(() => execution.execute('a', null), { instanceOf: TypeError, message: 'defect' });
});

test('rejects a missing template', (t) => {
  const message = 'template: no template "x" associated with template "gotpl"';
  t.throws(() => start([]).execute('x', null), { instanceOf: GoError, message });
});

test('uses the last template with a name that is not empty', (t) => {
  const files = ['one', 'two', '  '].map((text, i) => ({ name: `f${i}`, text: `{{ define "x" }}${text}{{ end }}` }));
  t.is(start([...files, { name: 'a', text: '{{ template "x" }}' }]).execute('a', null), 'two');
});

test('makes definitions of a text available to its calls only', (t) => {
  const execution = start([
    {
      name: 'a',
      text: `{{ tpl "{{ define \\"x\\" }}in{{ end }}{{ include \\"helper\\" . }}" . }}{{ include "helper" . }}`,
    },
    {
      name: 'b',
      text: '{{ define "helper" }}[{{ include "x" . }}{{ template "x" }}]{{ end }}{{ define "x" }}out{{ end }}',
    },
  ]);
  t.is(execution.execute('a', null), '[inin][outout]');
});

test('writes nothing for a text that contains only definitions', (t) => {
  const inner = '{{ define "y" }}{{ end }}';
  const execution = start([{ name: 'a', text: '{{ tpl .outer . }}' }]);
  const data = new Map([
    ['outer', 'x{{ tpl .inner . }}y'],
    ['inner', inner],
  ]);
  t.is(execution.execute('a', data), 'xy');
});

test('names an invalid text in its error', (t) => {
  const error = t.throws(() => start([]).executeText({ name: 'gotpl', text: '{{ nope }}' }, null), {
    instanceOf: TemplateParseError,
  });
  t.is(error.message, 'template: gotpl:1: function "nope" not defined');
});

test('can be used after an error', (t) => {
  const execution = start([
    { name: 'bad', text: 'written{{ tpl "{{ boom }}" . }}' },
    { name: 'good', text: 'good' },
  ]);
  t.throws(() => execution.execute('bad', null), { instanceOf: TemplateExecError, message: /calling boom: boom$/ });
  t.is(execution.execute('good', null), 'good');
});

test('runs a compiled set with other data and other bound functions', (t) => {
  const set = TemplateSet.parse([{ name: 'a', text: '{{ include "n" . }}{{ .x }}' }], { functions });
  const run = (included: string, x: Value): string =>
    new Execution(set, { missingKey: 'zero', calls: { include: () => included } }).execute('a', new Map([['x', x]]));
  t.is(run('1', 'a'), '1a');
  t.is(run('2', 'b'), '2b');
});

test('applies the missingKey option to missing keys', (t) => {
  const typed = new NamedMap('map[string]string');
  t.is(render('{{ .x }}|{{ .x.y }}', new Map(), { missingKey: 'invalid' }), '<no value>|<no value>');
  t.is(render('[{{ .x }}]', typed, { missingKey: 'zero' }), '[]');
  t.is(
    failure('{{ .x }}', new Map(), { missingKey: 'error' }),
    'template: t:1:3: executing "t" at <.x>: map has no entry for key "x"',
  );
  t.is(
    failure('{{ (nothing).x }}', null, { missingKey: 'error' }),
    'template: t:1:4: executing "t" at <nothing>: nil data; no entry for key "x"',
  );
});

class Files extends GoObject {
  readonly goType = 'engine.files';
  readonly kind = 'map';

  override contents(): ReadonlyMap<string, Value> {
    return new Map([['a', 'A']]);
  }

  override elementType(): string {
    return '[]uint8';
  }

  override method(name: string): GoFunction | undefined {
    if (name === 'Get') return { params: ['string'], call: (file: string) => `<${file}>` };
    return name === 'All' ? { params: ['int'], variadic: true, call: () => 'all' } : undefined;
  }
}

test('calls methods with arguments and with piped values', (t) => {
  const data = new Map([['F', new Files()]]);
  t.is(
    render('{{ .F.Get "a" }}{{ "b" | .F.Get }}{{ .F.All }}{{ $f := .F }}{{ $f.Get "c" }}{{ .F.a }}', data),
    '<a><b>all<c>A',
  );
  t.is(render('{{ (.F.Get "a") | len }}{{ len (.F.Get "x") }}', data), '33');
  t.is(render('{{ .F.nope }}', data), '[]');
});

test('checks the arguments of methods', (t) => {
  const data = new Map([['F', new Files()]]);
  const failed = (text: string): string => failure(text, data).replace(/^.*executing "t" at /, '');
  t.is(failed('{{ .F.Get }}'), '<.F.Get>: wrong number of args for Get: want 1 got 0');
  t.is(failed('{{ .F.Get 1 }}'), '<1>: expected string; found 1');
  t.is(failed('{{ .F.Get .F }}'), '<.F>: wrong type for value; expected string; got engine.files');
  t.is(failed('{{ 1 | .F.Get }}'), '<.F.Get>: wrong type for value; expected string; got int');
  t.is(failed('{{ .F.a.b }}'), `<.F.a.b>: can't evaluate field b in type []uint8`);
});

const limits = test.macro({
  exec(t, text: string, message: RegExp) {
    const options = { limits: { steps: 1000, output: 1000, text: 5000, elements: 300 } };
    const error = t.throws(() => start([{ name: 'a', text }], options).execute('a', null), {
      instanceOf: TemplateLimitError,
    });
    t.regex(error.message, message);
    t.is(error.code, 'render_limit');
  },
  title: (_given, text: string) => `${text} exceeds a limit`,
});

test(limits, '\n{{ range 2000 }}{{ end }}', /^a:2:9: template "a" takes more than 1000 steps$/);
test(limits, '{{ range 400 }}{{ "1234" }}{{ end }}', /^a:1:9: template "a" writes more than 1000 characters$/);
test(limits, '{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}', /takes more than 1000 steps$/);

test('reports endless recursion with the error of Go', (t) => {
  const text = '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}';
  const message = 'template: a:1:28: executing "x" at <{{template "x" .}}>: exceeded maximum template depth (100000)';
  t.throws(() => start([{ name: 'a', text }]).execute('a', null), { message });
});

test('stops recursion through a function at the limit of the stack', (t) => {
  const execution = start([{ name: 'a', text: '{{ include "a" . }}' }]);
  t.throws(() => execution.execute('a', null), { instanceOf: TemplateLimitError });
  t.throws(() => execution.execute('a', null), { message: /^a:1:3: template "a" needs too much memory/ });
});
