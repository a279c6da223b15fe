import test from 'ava';
import { quantityOf } from '../../src/objects/quantity.ts';

const reads = test.macro({
  title: (_, text: unknown) => `reads ${JSON.stringify(text)}`,
  exec(t, text: unknown, expected: number | undefined) {
    t.is(quantityOf(text), expected);
  },
});
test(reads, '0', 0);
test(reads, '2', 2);
test(reads, '250m', 0.25);
test(reads, '1.5Gi', 1.5 * 2 ** 30);
test(reads, '.5k', 500);
test(reads, '12345678n', 12_345_678 * 1e-9);
test(reads, '3e2', 300);
test(reads, '1E', 1e18);
test(reads, '-4', -4);

for (const text of [
  ...['', ' 1', '1 ', 'm', '1mi', '1KI', '1e', '1e5m', '0x10', 'NaN', 'Infinity', '1e999', '--1', '1.2.3', '١'],
  ...['9'.repeat(100_000), 5, undefined, {}, ['1']],
]) {
  test(`does not read ${JSON.stringify(text ?? 'undefined').slice(0, 40)}`, (t) => {
    t.is(quantityOf(text), undefined);
  });
}
