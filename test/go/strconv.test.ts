import test from 'ava';
import { canBackquote, quote, quoteRune, quoteRuneToAscii, quoteToAscii } from '../../src/go/strconv.ts';

const quotes = test.macro({
  exec(t, text: string, quoted: string, ascii: string = quoted) {
    t.is(quote(text), quoted);
    t.is(quoteToAscii(text), ascii);
  },
  title: (_given, text) => `${JSON.stringify(text)} is quoted as in Go`,
});

test(quotes, 'abc', '"abc"');
test(quotes, 'a"b\\', String.raw`"a\"b\\"`);
test(quotes, "it's", `"it's"`);
test(quotes, '\x07\b\t\n\v\f\r', String.raw`"\a\b\t\n\v\f\r"`);
test(quotes, '\0\x1b\x7f', String.raw`"\x00\x1b\x7f"`);
test(quotes, 'é😀', '"é😀"', String.raw`"\u00e9\U0001f600"`);
test(quotes, '\u00a0\u200b\ufeff', String.raw`"\u00a0\u200b\ufeff"`);
test(quotes, '\u{e0001}', String.raw`"\U000e0001"`);
test(quotes, '\udcff\udcc3\udca9', String.raw`"\xffé"`, String.raw`"\xff\u00e9"`);

test('escapes a character that Unicode 15.0 does not define', (t) => {
  t.is(quote('\u{1fae9}'), String.raw`"\U0001fae9"`);
  t.is(quote('\u{1fae8}'), '"\u{1fae8}"');
});

test('quotes characters with single quotes', (t) => {
  t.is(quoteRune(0x61), "'a'");
  t.is(quoteRune(0x27), String.raw`'\''`);
  t.is(quoteRune(0x22), `'"'`);
  t.is(quoteRune(0xd800), "'\ufffd'");
  t.is(quoteRuneToAscii(0x1f600), String.raw`'\U0001f600'`);
});

test('allows backquotes only for text without control characters and backquotes', (t) => {
  t.true(canBackquote('a\tb é'));
  t.false(canBackquote('a\nb'));
  t.false(canBackquote('a`b'));
  t.false(canBackquote('\ufeff'));
  t.false(canBackquote('\udcff'));
});
