import test from 'ava';
import { oneLine, printable } from '../../src/cli/text.ts';

const masked = test.macro({
  exec(t, text: string, expected: string) {
    t.is(printable(text), expected);
  },
  title: (name = '') => `printable replaces ${name}`,
});

test(
  'the escapes of terminals, in 7 and 8 bits',
  masked,
  'a\u001b[2J\u009b1mb\u007f\u0000',
  'a\uFFFD[2J\uFFFD1mb\uFFFD\uFFFD',
);
test(
  'characters that turn the order of text',
  masked,
  '\u202Etxt.exe\u2066x\u2069\u200F\u061C',
  '\uFFFDtxt.exe\uFFFDx\uFFFD\uFFFD\uFFFD',
);
test('tags, in which text can hide', masked, 'ok\u{E0001}\u{E0068}\u{E007F}', 'ok\uFFFD\uFFFD\uFFFD');
test(
  'characters without width',
  masked,
  'ad\u200Bmin\uFEFF\u2060\u00AD\u034F\u180E',
  'ad\uFFFDmin\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD',
);
test('joiners between Latin letters', masked, 'ad\u200Dmi\u200Cn', 'ad\uFFFDmi\uFFFDn');
test('blank letters', masked, 'a\u3164\u115F\uFFA0', 'a\uFFFD\uFFFD\uFFFD');
test('bytes hidden in variation selectors', masked, '😀\uFE00\u{E0110}\u{E0111}', '😀\uFFFD\uFFFD\uFFFD');
test('line separators and bytes that are not text', masked, 'a\u2028b\u2029\uDC9B', 'a\uFFFDb\uFFFD\uFFFD');
test('piles of combining marks', masked, `a${'\u0301'.repeat(5000)}b`, `a${'\u0301'.repeat(8)}\uFFFDb`);
test('carriage returns, except in line breaks', masked, 'one\r\ntwo\rthree', 'one\ntwo\uFFFDthree');

const kept = test.macro({
  exec(t, text: string) {
    t.is(printable(text), text);
  },
  title: (name = '') => `printable keeps ${name}`,
});

test('line breaks and tabs', kept, 'a\n\tb');
test('families, flags and skin tones', kept, '👨‍👩‍👧 🏳️‍🌈 🇩🇪 👩🏽‍🚀 1️⃣ ❤︎');
test('joiners of Persian and Hindi', kept, 'می\u200Cخواهم क्\u200Dष');
test('variants of Han characters', kept, '葛\u{E0100}城');
test('letters with several marks', kept, 'ẫ שָׁלוֹם ที่');
test('Arabic number signs', kept, '\u0600١\u06DD');

test('texts of a MiB are masked in linear time', (t) => {
  const mebibyte = 1 << 20;
  const units = ['\u200D', '\u0301', 'a\u0301', '👨\u200D', '\uDC80', '\r', '\u202E', 'क्\u200D', ' '];
  const started = performance.now();
  for (const unit of units) t.true(oneLine(unit.repeat(mebibyte / unit.length)).length <= mebibyte);
  t.true(performance.now() - started < 10_000); // well below a second if the machine is not busy
});
