import test from 'ava';
import { Command } from 'commander';
import { stringMap } from '../../src/cli/string-map.ts';

function read(...values: string[]): unknown {
  const command = new Command().exitOverride().addOption(stringMap('-l, --labels <labels>', ''));
  command.parse(
    values.flatMap((value) => ['-l', value]),
    { from: 'user' },
  );
  return command.opts()['labels'];
}

const reads = test.macro({
  title: (_, ...values: string[]) => `reads ${values.slice(0, -1).join(' ')}`,
  exec(t, ...values: string[]) {
    t.deepEqual(read(...values.slice(0, -1)), JSON.parse(values.at(-1) ?? ''));
  },
});

test(reads, 'a=1', '{"a":"1"}');
test(reads, 'a=1,b=null', '{"a":"1","b":"null"}');
test(reads, 'a=1,b=x=y', '{"a":"1","b":"x=y"}');
test(reads, 'a=1,2', '{"a":"1,2"}');
test(reads, 'a=1', 'b=2', 'a=3', '{"a":"3","b":"2"}');
test(reads, 'a=', '{"a":""}');

test('an entry without = is an error', (t) => {
  t.throws(() => read('a'), {
    message: 'invalid argument "a" for "-l, --labels" flag: a must be formatted as key=value',
  });
});
