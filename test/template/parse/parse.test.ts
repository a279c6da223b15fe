import test from 'ava';
import { nodeText } from '../../../src/template/parse/node-text.ts';
import { isEmptyTree, parseTemplate } from '../../../src/template/parse/parse.ts';
import { TemplateParseError } from '../../../src/template/template-error.ts';
import fc from '../../support/fast-check.ts';

const anyFunction = (): boolean => true;

function parse(text: string): string {
  return parseTemplate('t', text, anyFunction).root.map(nodeText).join('');
}

const prints = test.macro({
  exec(t, text: string, printed: string = text) {
    t.is(parse(text), printed);
  },
  title: (_given, text: string, printed: string = text) => `${text} is parsed as ${printed}`,
});

test(prints, 'text');
test(prints, '{{ .a.b }}', '{{.a.b}}');
test(prints, '{{ $x := 1 }}{{ $x.y }}', '{{$x := 1}}{{$x.y}}');
test(prints, '{{f   1 "a" `b` \'c\' true nil . $}}', '{{f 1 "a" `b` \'c\' true nil . $}}');
test(prints, '{{ (f 1).a.b | g (h 2) }}', '{{(f 1).a.b | g (h 2)}}');
test(prints, '{{ f.a }}', '{{f.a}}');
test(prints, '{{ f | }}', '{{f}}');
test(prints, '{{if .a}}b{{else if .c}}d{{else}}e{{end}}', '{{if .a}}b{{else}}{{if .c}}d{{else}}e{{end}}{{end}}');
test(prints, '{{with $x := .a}}b{{else with .c}}d{{end}}', '{{with $x := .a}}b{{else}}{{with .c}}d{{end}}{{end}}');
test(prints, '{{range $k, $v := .a}}{{break}}{{continue}}{{else}}x{{end}}');
test(prints, '{{range $k, $v = .a}}{{end}}');
test(prints, '{{template "a\\n"}}{{template `b` .c}}', '{{template "a\\n"}}{{template "b" .c}}');
test(prints, '{{block "b" .}}x{{end}}', '{{template "b" .}}');

test('parses definitions as separate templates', (t) => {
  const { root, trees } = parseTemplate('t', '{{define "a"}}x{{end}} {{block "b" .}}y{{end}}', anyFunction);
  t.deepEqual([...trees.keys()], ['a', 'b', 't']);
  t.is(trees.get('a')?.map(nodeText).join(''), 'x');
  t.is(trees.get('t'), root);
});

test('replaces an empty definition by one that is not empty', (t) => {
  const { trees } = parseTemplate(
    't',
    '{{define "a"}} {{end}}{{define "a"}}x{{end}}{{define "a"}}{{end}}',
    anyFunction,
  );
  t.is(trees.get('a')?.map(nodeText).join(''), 'x');
});

test('treats a template of only space as empty', (t) => {
  t.true(isEmptyTree(parseTemplate('t', ' \n\u0085 {{/* c */}}', anyFunction).root));
  t.false(isEmptyTree(parseTemplate('t', '{{""}}', anyFunction).root));
});

const fails = test.macro({
  exec(t, text: string, message: string) {
    const error = t.throws(() => parseTemplate('t', text, (name) => name === 'f'), { instanceOf: TemplateParseError });
    t.is(error.message, `template: t:${message}`);
    t.is(error.message, `template: t:${error.line}: ${error.detail}`);
  },
  title: (_given, text: string, message: string) => `${JSON.stringify(text)} is not a template: ${message}`,
});

test(fails, '\n{{ nope }}', '2: function "nope" not defined');
test(fails, '{{ $x }}', '1: undefined variable "$x"');
test(fails, '{{if .a}}{{$x := 1}}{{end}}{{$x}}', '1: undefined variable "$x"');
test(fails, '{{ 1 + 1 }}', '1: illegal number syntax: "+"');
test(fails, '{{ }}', '1: missing value for command');
test(fails, '{{ f | 1 }}', '1: non executable command in pipeline stage 2');
test(fails, '{{ (f ', '1: unclosed action');
test(fails, '{{ "a".b }}', '1: unexpected . after term "\\"a\\""');
test(fails, '{{ /* c */ }}', '1: unexpected "/" in command');
test(fails, '{{if}}{{end}}', '1: missing value for if');
test(fails, '{{if .a}}', '1: unexpected EOF');
test(fails, '{{end}}', '1: unexpected {{end}}');
test(fails, '{{else}}', '1: unexpected {{else}}');
test(fails, '{{if .a}}{{else}}{{else}}{{end}}', '1: expected end; found {{else}}');
test(fails, '{{with .a}}{{else if .b}}{{end}}', '1: unexpected <if> in input');
test(fails, '{{range .a}}{{else with .b}}{{end}}', '1: unexpected <with> in input');
test(fails, '{{break}}', '1: {{break}} outside {{range}}');
test(fails, '{{range .a}}{{block "b" .}}{{continue}}{{end}}{{end}}', '1: {{continue}} outside {{range}}');
test(fails, '{{if .a}}{{define "b"}}{{end}}{{end}}', '1: unexpected <define> in command');
test(fails, '{{define "a"}}x{{end}}\n{{define "a"}}y{{end}}', '2: template: multiple definition of template "a"');
test(fails, '{{define a}}{{end}}', '1: unexpected "a" in define clause');
test(fails, '{{template .a}}', '1: unexpected ".a" in template clause');
test(fails, '{{template "a\\q"}}', '1: invalid syntax');
test(fails, '{{$a, $b := .c}}', '1: too many declarations in command');
test(fails, '{{range $a, $b, $c := .d}}{{end}}', '1: too many declarations in range');
test(fails, '{{range $a, 1 := .d}}{{end}}', '1: range can only initialize variables');
test(fails, '{{ abcdefghijklmnop := 1 }}', '1: function "abcdefghijklmnop" not defined');
test(fails, '{{ f "abcdefghijklmnop"= }}', '1: unexpected "=" in operand');
test(fails, '{{ f\n "a', '2: unterminated quoted string in action started at t:1');
test(fails, '{{ f\n', '2: unclosed action started at t:1');
test(fails, "{{ 'ab' }}", "1: malformed character constant: 'ab'");
test(fails, '{{ 99999999999999999999 }}', '1: integer overflow: "99999999999999999999"');
test(fails, '{{ 1e }}', '1: illegal number syntax: "1e"');

test('parses any text or throws a TemplateParseError', (t) => {
  const piece = fc.constantFrom(
    ...[
      '{{',
      '}}',
      '{{- ',
      ' -}}',
      '(',
      ')',
      '|',
      ':=',
      '=',
      ',',
      ' ',
      '\n',
      '"a"',
      '`b`',
      "'c'",
      '1',
      '.x',
      '$',
      '$y',
    ],
    ...[
      'f',
      'if',
      'else',
      'end',
      'range',
      'with',
      'define',
      'block',
      'template',
      'break',
      'continue',
      'nil',
      '/*',
      '*/',
    ],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, piece, piece, fc.string({ unit: 'binary' })), { maxLength: 40 }), (pieces) => {
      try {
        t.true(parseTemplate('t', pieces.join(''), anyFunction).trees.has('t'));
      } catch (error) {
        if (!(error instanceof TemplateParseError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

test('rejects nesting that would exhaust the stack', (t) => {
  const depth = 100_000;
  t.throws(() => parse(`{{ ${'('.repeat(depth)}1${')'.repeat(depth)} }}`), { instanceOf: TemplateParseError });
  t.throws(() => parse('{{if 1}}'.repeat(depth) + '{{end}}'.repeat(depth)), { instanceOf: TemplateParseError });
});
