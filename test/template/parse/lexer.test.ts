import test from 'ava';
import { Lexer } from '../../../src/template/parse/lexer.ts';

function tokens(text: string): string[] {
  const lexer = new Lexer(text);
  const found: string[] = [];
  for (;;) {
    const { type, value } = lexer.next();
    found.push(type === 'EOF' ? 'EOF' : `${type} ${value}`);
    if (type === 'EOF' || type === 'error') return found;
  }
}

/** The tokens of one action, without its delimiters and spaces. */
function inAction(text: string): string[] {
  return tokens(`{{${text}}}`)
    .slice(1, -2)
    .filter((token) => !token.startsWith('space'));
}

const cuts = test.macro({
  exec(t, text: string, expected: readonly string[]) {
    t.deepEqual(inAction(text), expected);
  },
  title: (_given, text: string) => `{{${text}}} is cut into tokens`,
});

test(cuts, '.', ['. .']);
test(cuts, '.a.b_1.é', ['field .a', 'field .b_1', 'field .é']);
test(cuts, '$ $x $x.y', ['variable $', 'variable $x', 'variable $x', 'field .y']);
test(cuts, '$x := 1', ['variable $x', 'declare :=', 'number 1']);
test(cuts, '$x = "a"', ['variable $x', 'assign =', 'string "a"']);
test(cuts, 'printf "%d" 0x1F | quote', ['identifier printf', 'string "%d"', 'number 0x1F', '| |', 'identifier quote']);
test(cuts, '(a)', ['( (', 'identifier a', ') )']);
test(cuts, 'if true false nil', ['if if', 'bool true', 'bool false', 'nil nil']);
test(
  cuts,
  '1_000 -2 +3.5e-7 .5 0b11 0o7 0x1p-2 2i',
  'number 1_000,number -2,number +3.5e-7,number .5,number 0b11,number 0o7,number 0x1p-2,number 2i'.split(','),
);
test(cuts, '1+2i', ['complex 1+2i']);
test(cuts, String.raw`'a' '\''`, ["character constant 'a'", String.raw`character constant '\''`]);
test(cuts, '`a\nb`', ['raw string `a\nb`']);
test(cuts, 'a,b', ['identifier a', 'char ,', 'identifier b']);

test('text, actions and comments follow each other', (t) => {
  t.deepEqual(tokens('a{{/* c */}}b{{1}}c'), [
    'text a',
    'text b',
    'left delimiter {{',
    'number 1',
    'right delimiter }}',
    'text c',
    'EOF',
  ]);
});

test('trim markers take the space around an action away', (t) => {
  t.deepEqual(tokens('a \n\t{{- 1 -}}\r\n b'), [
    'text a',
    'left delimiter {{',
    'number 1',
    'right delimiter }}',
    'text b',
    'EOF',
  ]);
  t.deepEqual(tokens('a {{- /* c */ -}} b'), ['text a', 'text b', 'EOF']);
  t.deepEqual(tokens(' {{- 1}}'), ['left delimiter {{', 'number 1', 'right delimiter }}', 'EOF']);
  t.deepEqual(inAction('-1'), ['number -1'], 'a minus sign without space is no marker');
});

const fails = test.macro({
  exec(t, text: string, message: string) {
    t.is(tokens(text).at(-1), `error ${message}`);
  },
  title: (_given, text: string, message: string) => `${text} is an error: ${message}`,
});

test(fails, '{{', 'unclosed action');
test(fails, '{{/* a', 'unclosed comment');
test(fails, '{{/* a */ }}', 'comment ends before closing delimiter');
test(fails, '{{ (1 }}', 'unclosed left paren');
test(fails, '{{ 1) }}', 'unexpected right paren');
test(fails, '{{ "a }}', 'unterminated quoted string');
test(fails, '{{ "a\nb" }}', 'unterminated quoted string');
test(fails, '{{ `a }}', 'unterminated raw quoted string');
test(fails, "{{ 'a }}", 'unterminated character constant');
test(fails, '{{ 3x }}', 'bad number syntax: "3x"');
test(fails, '{{ 1+2 }}', 'bad number syntax: "1+2"');
test(fails, '{{ a: }}', 'expected :=');
test(fails, '{{ a# }}', "bad character U+0023 '#'");
test(fails, '{{ .a# }}', "bad character U+0023 '#'");
test(fails, '{{ \x01 }}', 'unrecognized character in action: U+0001');
test(fails, '{{ \udcff }}', "unrecognized character in action: U+FFFD '�'");

test('after an error comes the same error', (t) => {
  const lexer = new Lexer('{{');
  lexer.next();
  t.is(lexer.next(), lexer.next());
});
