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

/** Returns the tokens of one action, without its delimiters and spaces. */
function inAction(text: string): string[] {
  return tokens(`{{${text}}}`)
    .slice(1, -2)
    .filter((token) => !token.startsWith('space'));
}

const tokenizes = test.macro({
  exec(t, text: string, expected: readonly string[]) {
    t.deepEqual(inAction(text), expected);
  },
  title: (_given, text: string) => `{{${text}}} is split into tokens`,
});

test(tokenizes, '.', ['. .']);
test(tokenizes, '.a.b_1.é', ['field .a', 'field .b_1', 'field .é']);
test(tokenizes, '$ $x $x.y', ['variable $', 'variable $x', 'variable $x', 'field .y']);
test(tokenizes, '$x := 1', ['variable $x', 'declare :=', 'number 1']);
test(tokenizes, '$x = "a"', ['variable $x', 'assign =', 'string "a"']);
test(tokenizes, 'printf "%d" 0x1F | quote', [
  'identifier printf',
  'string "%d"',
  'number 0x1F',
  '| |',
  'identifier quote',
]);
test(tokenizes, '(a)', ['( (', 'identifier a', ') )']);
test(tokenizes, 'if true false nil', ['if if', 'bool true', 'bool false', 'nil nil']);
test(
  tokenizes,
  '1_000 -2 +3.5e-7 .5 0b11 0o7 0x1p-2 2i',
  'number 1_000,number -2,number +3.5e-7,number .5,number 0b11,number 0o7,number 0x1p-2,number 2i'.split(','),
);
test(tokenizes, '1+2i', ['complex 1+2i']);
test(tokenizes, String.raw`'a' '\''`, ["character constant 'a'", String.raw`character constant '\''`]);
test(tokenizes, '`a\nb`', ['raw string `a\nb`']);
test(tokenizes, 'a,b', ['identifier a', 'char ,', 'identifier b']);

test('returns text and actions in order, without comments', (t) => {
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

test('removes the space around an action with trim markers', (t) => {
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
  t.deepEqual(inAction('-1'), ['number -1'], 'a minus sign without space is not a trim marker');
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

test('repeats an error', (t) => {
  const lexer = new Lexer('{{');
  lexer.next();
  const error = lexer.next();
  t.is(error.type, 'error');
  t.is(lexer.next(), error);
});
