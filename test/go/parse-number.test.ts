import test from 'ava';
import { formatFloat } from '../../src/go/float.ts';
import { parseDecimalInteger, parseFloat64, parseInteger, parseUnsigned } from '../../src/go/parse-number.ts';
import fc from '../support/fast-check.ts';

const maxInt64 = 9223372036854775807n;

const integers = test.macro({
  exec(t, text: string, base: number, value: bigint, reason?: string) {
    const error = reason === undefined ? {} : { error: `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${reason}` };
    t.deepEqual(parseInteger(text, base), { value, ...error });
  },
  title: (_given, text: string, base: number, value: bigint, reason: string | undefined = '') =>
    `${JSON.stringify(text)} in base ${base} is ${value} ${reason}`.trim(),
});

test(integers, '42', 10, 42n);
test(integers, '-42', 10, -42n);
test(integers, '+7', 10, 7n);
test(integers, '9223372036854775807', 10, maxInt64);
test(integers, '9223372036854775808', 10, maxInt64, 'value out of range');
test(integers, '-9223372036854775808', 10, -maxInt64 - 1n);
test(integers, '-9223372036854775809', 10, -maxInt64 - 1n, 'value out of range');
test(integers, '9'.repeat(10_000), 10, maxInt64, 'value out of range');
test(integers, '', 10, 0n, 'invalid syntax');
test(integers, '-', 0, 0n, 'invalid syntax');
test(integers, '1_000', 10, 0n, 'invalid syntax');
test(integers, '0x1f', 10, 0n, 'invalid syntax');
test(integers, 'zz', 36, 1295n);
test(integers, '0x1F', 0, 31n);
test(integers, '0b101', 0, 5n);
test(integers, '0o17', 0, 15n);
test(integers, '017', 0, 15n);
test(integers, '0', 0, 0n);
test(integers, '08', 0, 0n, 'invalid syntax');
test(integers, '0x', 0, 0n, 'invalid syntax');
test(integers, '1_000', 0, 1000n);
test(integers, '0x_ff', 0, 255n);
test(integers, '1__0', 0, 0n, 'invalid syntax');
test(integers, '1_', 0, 0n, 'invalid syntax');
test(integers, '_1', 0, 0n, 'invalid syntax');

test('reports numbers that do not fit in the size', (t) => {
  t.deepEqual(parseInteger('128', 10, 8), {
    value: 127n,
    error: 'strconv.ParseInt: parsing "128": value out of range',
  });
  t.deepEqual(parseUnsigned('255', 10, 8), { value: 255n });
  t.deepEqual(parseUnsigned('256', 10, 8), {
    value: 255n,
    error: 'strconv.ParseUint: parsing "256": value out of range',
  });
});

test('rejects a sign of an unsigned number', (t) => {
  t.is(parseUnsigned('+1').error, 'strconv.ParseUint: parsing "+1": invalid syntax');
});

test('names Atoi in its error', (t) => {
  t.is(parseDecimalInteger('x').error, 'strconv.Atoi: parsing "x": invalid syntax');
});

const floats = test.macro({
  exec(t, text: string, value: number, reason?: string) {
    const error =
      reason === undefined ? {} : { error: `strconv.ParseFloat: parsing ${JSON.stringify(text)}: ${reason}` };
    t.deepEqual(parseFloat64(text), { value, ...error });
  },
  title: (_given, text: string, value: number, reason: string | undefined = '') =>
    `${JSON.stringify(text)} is the float ${value} ${reason}`.trim(),
});

test(floats, '1.5', 1.5);
test(floats, '.5', 0.5);
test(floats, '5.', 5);
test(floats, '-1e3', -1000);
test(floats, '+1E-3', 0.001);
test(floats, '1_000.5', 1000.5);
test(floats, '0x1p-2', 0.25);
test(floats, '0x1.8p1', 3);
test(floats, '-0X.8P+1', -1);
test(floats, '0x1.fffffffffffff8p1023', Infinity, 'value out of range');
test(floats, '0x1p-1075', 0);
test(floats, '0x1.8p-1075', 5e-324);
test(floats, 'inf', Infinity);
test(floats, '-Infinity', -Infinity);
test(floats, 'NaN', Number.NaN);
test(floats, '1e400', Infinity, 'value out of range');
test(floats, '', 0, 'invalid syntax');
test(floats, '.', 0, 'invalid syntax');
test(floats, '1e', 0, 'invalid syntax');
test(floats, '0x1', 0, 'invalid syntax');
test(floats, '1.5.5', 0, 'invalid syntax');
test(floats, ' 1', 0, 'invalid syntax');
test(floats, '1__0', 0, 'invalid syntax');
test(floats, '-nan', 0, 'invalid syntax');

test('parses every int64 and every float64 that is printed', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -maxInt64 - 1n, max: maxInt64 }), fc.double(), (integer, float) => {
      t.deepEqual(parseInteger(String(integer)), { value: integer });
      t.deepEqual(parseFloat64(formatFloat(float, 'g', -1)), { value: float });
    }),
  );
});

test('returns a number or an error for any text', (t) => {
  const problem = /^strconv\.Parse(?:Int|Float): parsing ".*": (?:invalid syntax|value out of range)$/;
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[+-]?[0-9a-fxXob_.epP+-]*$/)), (text) => {
      for (const { value, error } of [parseInteger(text, 0), parseFloat64(text)]) {
        if (error === undefined) continue;
        t.regex(error, problem);
        if (error.endsWith('invalid syntax')) t.true(value === 0n || value === 0);
      }
    }),
  );
});
