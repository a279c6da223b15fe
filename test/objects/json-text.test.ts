import test from 'ava';
import { jsonText, parseJsonText } from '../../src/objects/json-text.ts';

const reads = test.macro({
  exec(t, text: string, expected: unknown) {
    t.deepEqual(parseJsonText(text), expected);
  },
  title: (_, text: string, expected) => `${text} is read as a ${typeof expected}`,
});

test(reads, '9007199254740991', Number.MAX_SAFE_INTEGER);
test(reads, '9007199254740993', 9_007_199_254_740_993n);
test(reads, '-9223372036854775808', -(2n ** 63n));
test(reads, '9223372036854775808', 2 ** 63);
test(reads, '1e17', 1e17);
test(reads, '12345678901234567.5', 12_345_678_901_234_567.5);
test(reads, '"9007199254740993"', '9007199254740993');

test('integers keep their digits in JSON text', (t) => {
  const text = '{"a":[9223372036854775807,{"b":-9007199254740993}],"c":1,"__proto__":2}';
  t.is(jsonText(parseJsonText(text)), text);
});
