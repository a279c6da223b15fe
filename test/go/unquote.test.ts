import test from 'ava';
import { quote, quoteToAscii } from '../../src/go/strconv.ts';
import { unquote, unquoteCharacter } from '../../src/go/unquote.ts';
import fc from '../support/fast-check.ts';

const literal = test.macro({
  exec(t, text: string, value: string | undefined) {
    t.is(unquote(text), value);
  },
  title: (_given, text: string, value: string | undefined) =>
    `${text} ${value === undefined ? 'is not a literal' : `has the value ${JSON.stringify(value)}`}`,
});

test(literal, '"abc"', 'abc');
test(literal, String.raw`"a\tb\"\\"`, 'a\tb"\\');
test(literal, String.raw`"\x41\101\u00e9\U0001F600"`, 'AAé😀');
test(literal, String.raw`"\xc3\xa9"`, 'é');
test(literal, String.raw`"\xff"`, '\udcff');
test(literal, '"\udcff"', '\ufffd');
test(literal, '`a\\n\r"`', 'a\\n"');
test(literal, '``', '');
test(literal, String.raw`"\'"`, undefined);
test(literal, String.raw`"\q"`, undefined);
test(literal, String.raw`"\ud800"`, undefined);
test(literal, String.raw`"\400"`, undefined);
test(literal, String.raw`"\x4"`, undefined);
test(literal, '"a"b"', undefined);
test(literal, '"', undefined);
test(literal, '`a`b`', undefined);

test('returns the first character of a literal and the rest', (t) => {
  t.deepEqual(unquoteCharacter("a'"), { point: 0x61, rest: "'" });
  t.deepEqual(unquoteCharacter(String.raw`\''`), { point: 0x27, rest: "'" });
  t.deepEqual(unquoteCharacter(String.raw`\xff'`), { point: 0xff, rest: "'" });
  t.deepEqual(unquoteCharacter("ab'"), { point: 0x61, rest: "b'" });
  t.is(unquoteCharacter("'"), undefined);
  t.is(unquoteCharacter(String.raw`\"'`), undefined);
});

test('unquote reverses quote', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      t.is(unquote(quote(text)), text);
      t.is(unquote(quoteToAscii(text)), text);
    }),
  );
});
