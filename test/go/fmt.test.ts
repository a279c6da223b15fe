import test from 'ava';
import { format, sprint, sprintf, sprintln } from '../../src/go/fmt.ts';
import { Complex } from '../../src/go/types.ts';
import { Int, int, int64, NamedMap, NilPointer, Slice, type Value } from '../../src/go/value.ts';
import fc from '../support/fast-check.ts';
import { SampleObject } from './sample-object.ts';

const map = (entries: Record<string, Value>): Value => new Map(Object.entries(entries));

const printf = test.macro({
  exec(t, text: string, values: readonly Value[], printed: string) {
    t.is(sprintf(text, values), printed);
  },
  title: (_given, text, _values, printed) => `printf ${JSON.stringify(text)} prints ${JSON.stringify(printed)}`,
});

// integers
test(printf, '%5d|%-5d|%05d|%+d|% d|%+05d', [42, 42, -42, 42, 42, 42].map(int), '   42|42   |-0042|+42| 42|+0042');
test(
  printf,
  '%x %X %#x %#08x %o %#o %O %b %#b',
  [255, 255, 255, 255, 8, 8, 8, 5, 5].map(int),
  'ff FF 0xff 0x000000ff 10 010 0o10 101 0b101',
);
test(printf, '%c%c%c|%q|%+q|%#q', [65, 0x1f600, -1, 65, 0x1f600, 10].map(int), "A😀�|'A'|'\\U0001f600'|'\\n'");
test(printf, '%U|%#U|%#U|%08U|', [65, 65, 10, 65].map(int), "U+0041|U+0041 'A'|U+000A|  U+0041|");
test(printf, '%.3d|%8.3d|%-8.3d|%08.3d|%.d|%.0d', [7, 7, 7, 7, 0, 5].map(int), '007|     007|007     |     007||5');
test(
  printf,
  '%p %d %v %#v %t %6v|',
  [new Slice('string', null), ...Array<NilPointer>(5).fill(new NilPointer('*t.T'))],
  '0x0 0 <nil> (*t.T)(nil) %!t(*t.T=<nil>)  <nil>|',
);
test(printf, '%#w %#v', [new Uint8Array([1]), new Uint8Array([1])], '[]uint8{%!w(uint8=0x1)} []byte{0x1}');
test(printf, '%d %x %v', [int64(-5), new Int('uint64', 2n ** 64n - 1n), int(1)], '-5 ffffffffffffffff 1');
test(printf, '%#v %#v', [int(1), new Int('uint8', 255n)], '1 0xff');

// floats
test(
  printf,
  '%e %E %f %F %g %G',
  [1234.5678, 1234.5678, 1234.5678, 1234.5678, 1234.5678, 1e-10],
  '1.234568e+03 1.234568E+03 1234.567800 1234.567800 1234.5678 1E-10',
);
test(
  printf,
  '%8.2f|%-8.2f|%08.2f|%+.2f|% .2f',
  [3.14159, 3.14159, 3.14159, 3.14159, 3.14159],
  '    3.14|3.14    |00003.14|+3.14| 3.14',
);
test(printf, '%#.0f %#g %#.3g %#x %#e', [3.5, 1.5, 1, 1.5, 2], '4. 1.50000 1.00 0x1.8000p+00 2.000000e+00');
test(printf, '%v %v %v %.f', [1e20, 1e21, 1e-5, 2.7], '1e+20 1e+21 1e-05 3');
test(
  printf,
  '%v %5v|%05v %+v % v',
  [Infinity, Number.NaN, -Infinity, Number.NaN, Infinity],
  '+Inf   NaN| -Inf NaN  Inf',
);
test(
  printf,
  '%v %.1f %s',
  [new Complex(0, 1), new Complex(1, -2), new Complex(0, 1)],
  '(0+1i) (1.0-2.0i) %!s(complex128=(0+1i))',
);

// strings and bytes
test(
  printf,
  '%10s|%-10s|%010s|%.2s|%5.1s|',
  ['abc', 'abc', 'abc', 'abc', 'abc'],
  '       abc|abc       |0000000abc|ab|    a|',
);
test(printf, '%.2s|%6s|%-6s|', ['日本語', '日本', 'é'], '日本|    日本|é     |');
test(
  printf,
  '%q %+q %#q %#q %10q|%.1q',
  ['a"b', 'é', 'abc', 'a`b', 'a', 'abc'],
  '"a\\"b" "\\u00e9" `abc` "a`b"        "a"|"a"',
);
test(
  printf,
  '%x %X % x %#x %# x %.2x %6x|%x|',
  ['abc', 'é', 'abc', 'abc', 'abc', 'abc', 'ab', ''],
  '616263 C3A9 61 62 63 0x616263 0x61 0x62 0x63 6162   6162||',
);
test(
  printf,
  '%v %s %d %x %q %#v %t',
  [
    Uint8Array.of(65, 66),
    Uint8Array.of(65),
    Uint8Array.of(65),
    Uint8Array.of(65),
    Uint8Array.of(65),
    Uint8Array.of(65),
    Uint8Array.of(1),
  ],
  '[65 66] A [65] 41 "A" []byte{0x41} [%!t(uint8=1)]',
);

// verbs that do not match the type
test(
  printf,
  '%d %s %t %z %!',
  ['x', int(1), 1.5, true, int(1)],
  '%!d(string=x) %!s(int=1) %!t(float64=1.5) %!z(bool=true) %!!(int=1)',
);
test(
  printf,
  '%s %v %d %T %5v|%x',
  [null, null, null, null, null, null],
  '%!s(<nil>) <nil> %!d(<nil>) <nil> <nil>|%!x(<nil>)',
);
test(printf, '%w %w', ['x', ['y']], '%!w(string=x) %!w([]interface {}=[y])');
test(printf, '%p', [int(1)], '%!p(int=1)');

// extra, missing and numbered values
test(printf, '%', [], '%!(NOVERB)');
test(printf, '%s %s', ['a'], 'a %!s(MISSING)');
test(printf, 'x', ['b', int(2), null], 'x%!(EXTRA string=b, int=2, <nil>)');
test(printf, '100%% %5%|', [], '100% %|');
test(printf, '%[2]s %[1]s', ['a', 'b'], 'b a');
test(printf, '%[1]d %s', [int(1), 'b'], '1 b');
test(printf, '%[3]s|%[0]s|%[x]s|%[1', ['a'], '%!s(BADINDEX)|%!s(BADINDEX)|%!s(BADINDEX)|%!(NOVERB)');
test(
  printf,
  '%[2]*[1]d|%*d|%-*d|%*d|',
  [int(42), int(6), int(5), int(7), int(-3), int(8), int(-3), int(9)],
  '    42|     5|-3     |      -3|',
);
test(printf, '%*d|%.*d|%*d', [2_000_000, 5, -1, 6, 7].map(int), '%!(BADWIDTH)5|%!(BADPREC)6|%!d(MISSING)');
test(printf, '%+f %+g % f', [Number.NaN, Number.NaN, Number.NaN], '+NaN +NaN  NaN');
test(printf, '%.*f %.*f', [int(2), 3.14159, int(-1), 2.5], '3.14 %!(BADPREC)2.500000');
test(printf, '%[1]2d|%[1].2d', [int(5)], '%!d(BADINDEX)|%!d(BADINDEX)');
test(printf, '%99999999d', [int(1)], '%!(NOVERB)%!(EXTRA int=1)');

// lists, maps, structs
test(
  printf,
  '%v %s %d %q',
  [['a', null], ['a', null], ['a', int(1)], ['a']],
  '[a <nil>] [a <nil>] [%!d(string=a) 1] ["a"]',
);
test(
  printf,
  '%#v %T %#v',
  [['a', null, 1e6], [1], new Slice('string', null)],
  '[]interface {}{"a", interface {}(nil), 1e+06} []interface {} []string(nil)',
);
test(
  printf,
  '%#v %02d %T',
  [new Slice('int', [int(0)]), new Slice('int', [int(0), int(1)]), new Slice('int', [])],
  '[]int{0} [00 01] []int',
);
test(
  printf,
  '%v %+v %#v',
  [map({ b: 2, a: null }), map({ a: 1 }), map({ a: 'x' })],
  'map[a:<nil> b:2] map[a:1] map[string]interface {}{"a":"x"}',
);
test(printf, '%d %5.1f', [map({ a: int(1) }), map({ k: 1.25 })], 'map[%!d(string=a):1] map[%!f(string=    k):  1.2]');
test(
  printf,
  '%T %#v',
  [new NamedMap('common.Values'), new NamedMap('map[string]string', null)],
  'common.Values map[string]string(nil)',
);

const point = {
  members: [
    ['X', int(1)],
    ['name', 'n'],
  ] as const,
};
test(
  printf,
  '%v %+v %#v %d',
  [new SampleObject(point), new SampleObject(point), new SampleObject(point), new SampleObject(point)],
  '{1 n} {X:1 name:n} sample.Type{X:1, name:"n"} {1 %!d(string=n)}',
);
const pointer = new SampleObject({ ...point, goType: '*sample.Type', kind: 'ptr' });
test(printf, '%v %+v %T', [pointer, pointer, pointer], '&{1 n} &{X:1 name:n} *sample.Type');
test(printf, '%v %x', [[pointer], [pointer]], '[0xc000012345] [c000012345]');
const named = new SampleObject({ goType: 'time.Duration', kind: 'int64', underlying: int64(90), text: '1m30s' });
test(
  printf,
  '%v %s %q %d %T %5t',
  [named, named, named, named, named, named],
  '1m30s 1m30s "1m30s" 90 time.Duration %!t(time.Duration=   90)',
);
test(printf, '%#v %#v', [new SampleObject({ goString: 'sample.Make()' }), named], 'sample.Make() 90');
test(
  printf,
  '%v %d',
  [
    new SampleObject({
      members: [
        ['D', named],
        ['d', named],
      ],
    }),
    [named],
  ],
  '{1m30s 90} [90]',
);

test('print adds a space between two values if neither is a string', (t) => {
  t.is(sprint(['a', int(1), int(2), 'b', 1e6, null]), 'a1 2b1e+06 <nil>');
  t.is(sprint([]), '');
  t.is(sprint([new SampleObject({ kind: 'string', underlying: 'x', text: 'x' }), int(1)]), 'x1');
});

test('println adds spaces between all values', (t) => {
  t.is(sprintln(['a', 'b', int(1)]), 'a b 1\n');
});

test('format prints a value like %v', (t) => {
  t.deepEqual([true, 1.5, int(3), null, 'x', [1]].map(format), ['true', '1.5', '3', '<nil>', 'x', '[1]']);
});

const values = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.string({ unit: 'binary' }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }).map((value) => new Int('int64', value)),
  fc.uint8Array(),
  fc.array(fc.string()),
  fc.dictionary(fc.string(), fc.double()).map((entries) => new Map(Object.entries(entries))),
);

test('accepts any format with any values', (t) => {
  const directive = fc.stringMatching(/^%[-+# 0]*(\[[0-9]\])?([0-9]{1,2}|\*)?(\.([0-9]{0,2}|\*))?[a-zA-Z%é]?$/);
  fc.assert(
    fc.property(fc.array(fc.oneof(directive, fc.string())), fc.array(values), (parts, given) => {
      t.is(typeof sprintf(parts.join(''), given), 'string');
    }),
  );
});

test('%v formats any value like format', (t) => {
  fc.assert(
    fc.property(fc.array(values), (given) => {
      t.is(sprintf(given.map(() => '%v').join('|'), given), given.map(format).join('|'));
    }),
  );
});
