import test from 'ava';
import { pairsFlag } from '../../../src/cli/pflag/flag.ts';
import { flagValues } from '../../../src/cli/pflag/flag-values.ts';
import { parseFlags } from '../../../src/cli/pflag/parse-flags.ts';

const labels = pairsFlag('labels', '', { shorthand: 'l' });

function read(...values: string[]): object {
  const { given } = parseFlags(
    [labels],
    values.flatMap((value) => ['-l', value]),
  );
  return Object.fromEntries(flagValues([labels], given).pairs('labels'));
}

const reads = test.macro({
  title: (_, values: readonly string[]) => `reads ${values.join(' ')}`,
  exec(t, values: readonly string[], expected: object) {
    t.deepEqual(read(...values), expected);
  },
});

test(reads, ['a=1'], { a: '1' });
test(reads, ['a=1,b=null'], { a: '1', b: 'null' });
test(reads, ['a=1,b=x=y'], { a: '1', b: 'x=y' });
test(reads, ['a=1,2'], { a: '1,2' });
test(reads, ['a=1', 'b=2', 'a=3'], { a: '3', b: '2' });
test(reads, ['a='], { a: '' });

test('an entry without = is an error', (t) => {
  t.throws(() => read('a'), {
    message: 'invalid argument "a" for "-l, --labels" flag: a must be formatted as key=value',
  });
});
