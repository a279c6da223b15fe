import test from 'ava';
import { type FloatFormat, formatFloat, shiftRight } from '../../src/go/float.ts';
import fc from '../support/fast-check.ts';

const formats = test.macro({
  exec(t, value: number, format: FloatFormat, precision: number, text: string) {
    t.is(formatFloat(value, format, precision), text);
  },
  title: (_given, value: number, format: FloatFormat, precision: number, text: string) =>
    `${value} as %${format} with precision ${precision} is ${text}`,
});

test(formats, 0, 'g', -1, '0');
test(formats, -0, 'g', -1, '-0');
test(formats, 100000, 'g', -1, '100000');
test(formats, 999999.5, 'g', -1, '999999.5');
test(formats, 1e6, 'g', -1, '1e+06');
test(formats, 1234567, 'g', -1, '1.234567e+06');
test(formats, 1e21, 'g', -1, '1e+21');
test(formats, 0.0001, 'g', -1, '0.0001');
test(formats, 0.00001, 'g', -1, '1e-05');
test(formats, 5e-324, 'g', -1, '5e-324');
test(formats, 123456.789, 'g', 3, '1.23e+05');
test(formats, 100, 'g', 3, '100');
test(formats, 0.1, 'g', 0, '0.1');
test(formats, 1e-10, 'G', -1, '1E-10');
test(formats, Number.NaN, 'g', -1, 'NaN');
test(formats, -Infinity, 'f', 2, '-Inf');
test(formats, Infinity, 'e', 2, '+Inf');
test(formats, 2.5, 'f', 0, '2');
test(formats, 3.5, 'f', 0, '4');
test(formats, 0.5, 'f', 0, '0');
test(formats, 0.6, 'f', 0, '1');
test(formats, 9.995, 'f', 2, '9.99');
test(formats, 999.9996, 'f', 3, '1000.000');
test(formats, 0.1, 'f', 20, '0.10000000000000000555');
test(formats, 1e21, 'f', -1, '1000000000000000000000');
test(formats, 0.001, 'f', 1, '0.0');
test(formats, 1234.5678, 'e', 6, '1.234568e+03');
test(formats, 0, 'e', 2, '0.00e+00');
test(formats, 1e100, 'E', -1, '1E+100');
test(formats, 1.5, 'b', -1, '6755399441055744p-52');
test(formats, 5e-324, 'b', -1, '1p-1074');
test(formats, 1.5, 'x', -1, '0x1.8p+00');
test(formats, 1.999, 'x', 2, '0x1.00p+01');
test(formats, 5e-324, 'x', -1, '0x1p-1074');
test(formats, 0, 'x', 2, '0x0.00p+00');
test(formats, -255, 'X', -1, '-0X1.FEP+07');

test('formats the shortest digits that parse back to the same number', (t) => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      for (const format of ['e', 'f', 'g'] as const) t.is(Number(formatFloat(value, format, -1)), value);
    }),
  );
});

test('formats exact digits beyond the precision of JavaScript', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 20 }), (numerator, places) => {
      const value = numerator / 1024;
      const exact = (BigInt(numerator) * 10n ** 30n) / 1024n;
      t.is(formatFloat(value, 'f', 30), `${exact / 10n ** 30n}.${(exact % 10n ** 30n).toString().padStart(30, '0')}`);
      t.true(
        Math.abs(Number(formatFloat(value, 'f', places)) - value) <=
          0.5 * 10 ** -places * (1 + 1e-9) + Number.EPSILON * value,
      );
    }),
  );
});

test('rounds half to even when shifting', (t) => {
  t.is(shiftRight(0b101n, 1), 0b10n);
  t.is(shiftRight(0b111n, 1), 0b100n);
  t.is(shiftRight(0b1011n, 2), 0b11n);
});
