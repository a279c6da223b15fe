import test from 'ava';
import {
  byteLength,
  compareStrings,
  equalStrings,
  fromBytes,
  normalize,
  runeCount,
  runes,
  runeText,
  sliceBytes,
  sortedKeys,
  sortStrings,
  toBytes,
} from '../../src/go/text.ts';
import fc from '../support/fast-check.ts';

const rawByte = (byte: number): string => String.fromCharCode(0xdc00 + byte);

test('byteLength counts bytes', (t) => {
  t.is(byteLength('abc'), 3);
  t.is(byteLength('é日'), 5);
  t.is(byteLength('😀'), 4);
  t.is(byteLength(`a${rawByte(0xc3)}`), 2);
});

test('keeps bytes that are not valid UTF-8', (t) => {
  t.is(fromBytes(Uint8Array.of(0x61, 0xc3)), `a${rawByte(0xc3)}`);
  t.deepEqual(toBytes(`a${rawByte(0xc3)}😀`), Uint8Array.of(0x61, 0xc3, 0xf0, 0x9f, 0x98, 0x80));
});

test('decodes and encodes any bytes without change', (t) => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      t.deepEqual(toBytes(fromBytes(bytes)), Uint8Array.from(bytes));
    }),
  );
});

test('treats encoded surrogates and overlong forms as invalid UTF-8', (t) => {
  t.is(fromBytes(Uint8Array.of(0xed, 0xa0, 0x80)), rawByte(0xed) + rawByte(0xa0) + rawByte(0x80));
  t.is(fromBytes(Uint8Array.of(0xc0, 0x80)), rawByte(0xc0) + rawByte(0x80));
});

test('keeps a byte order mark as a character', (t) => {
  t.is(fromBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), '\ufeffa');
});

test('normalize joins the halves of a character', (t) => {
  const halves = rawByte(0xc3) + rawByte(0xa9);
  t.not(halves, 'é');
  t.is(normalize(halves), 'é');
  t.true(equalStrings(halves, 'é'));
  t.false(equalStrings(halves, 'e'));
});

test('compares and sorts strings by their bytes', (t) => {
  t.true(compareStrings('a', 'b') < 0);
  t.true(compareStrings('ab', 'a') > 0);
  t.is(compareStrings('é', 'é'), 0);
  t.true(compareStrings('\uffee', '😀') < 0, 'the order of UTF-16 units differs');
  t.deepEqual(sortStrings(['😀', '\uffee', 'z', 'B', 'a']), ['B', 'a', 'z', '\uffee', '😀']);
});

test('sorts the keys of a map, including those that look like numbers', (t) => {
  t.deepEqual(
    sortedKeys(
      new Map([
        ['10', 1],
        ['9', 2],
        ['__proto__', 3],
      ]),
    ),
    ['10', '9', '__proto__'],
  );
});

test('slices by bytes, which can split a character', (t) => {
  t.is(sliceBytes('hello', 1, 3), 'el');
  t.is(sliceBytes('é', 0, 1), rawByte(0xc3));
  t.is(sliceBytes('aé', 1, 3), 'é');
});

test('returns code points, with U+FFFD for an invalid byte', (t) => {
  t.deepEqual(runes(`a😀${rawByte(0xff)}`), [0x61, 0x1f600, 0xfffd]);
  t.is(runeCount('日本'), 2);
  t.is(runeText(0x1f600), '😀');
  t.is(runeText(0xd800), '\ufffd');
  t.is(runeText(-1), '\ufffd');
});
