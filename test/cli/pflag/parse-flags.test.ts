import test from 'ava';
import {
  commaListFlag,
  durationFlag,
  integerFlag,
  listFlag,
  pairsFlag,
  switchFlag,
  textFlag,
} from '../../../src/cli/pflag/flag.ts';
import { flagValues } from '../../../src/cli/pflag/flag-values.ts';
import { parseFlags } from '../../../src/cli/pflag/parse-flags.ts';

const flags = [
  switchFlag('quiet', '', { shorthand: 'q' }),
  switchFlag('hooks', '', { initial: true }),
  textFlag('output', '', { shorthand: 'o', initial: 'table' }),
  textFlag('mode', '', { initial: 'none', withoutValue: 'unset' }),
  integerFlag('max', '', { shorthand: 'm', initial: 256 }),
  durationFlag('timeout', '', { initial: 300_000_000_000n }),
  listFlag('set', ''),
  commaListFlag('values', '', { shorthand: 'f' }),
  pairsFlag('labels', '', { shorthand: 'l' }),
  switchFlag('force', '', { deprecated: 'use --strong instead' }),
];

const reads = test.macro({
  title: (_, line: string) => `reads ${line}`,
  exec(t, line: string, expected: object) {
    const { given, args } = parseFlags(flags, line.split(' '));
    t.deepEqual({ ...Object.fromEntries(given), ...(args.length > 0 && { args }) }, expected);
  },
});

test(reads, '-q name', { quiet: true, args: ['name'] });
test(reads, '--hooks=false --quiet=T', { hooks: false, quiet: true });
test(reads, '-ojson', { output: 'json' });
test(reads, '-o=json', { output: 'json' });
test(reads, '-qo yaml', { quiet: true, output: 'yaml' });
test(reads, '--mode name', { mode: 'unset', args: ['name'] });
test(reads, '--mode=client', { mode: 'client' });
test(reads, '--max 0x10', { max: 16 });
test(reads, '--timeout 1m30s', { timeout: 90_000_000_000n });
test(reads, '--set a=1,b=2 --set c=3', { set: ['a=1,b=2', 'c=3'] });
test(reads, '-f a.yaml,b.yaml -f c.yaml', { values: ['a.yaml', 'b.yaml', 'c.yaml'] });
test(reads, '-l a=1,b=2 -l a=3', {
  labels: new Map([
    ['a', '3'],
    ['b', '2'],
  ]),
});
test(reads, 'one -- --quiet', { args: ['one', '--quiet'] });
test(reads, '- -q', { quiet: true, args: ['-'] });

const fails = test.macro({
  title: (_, line: string) => `refuses ${line}`,
  exec(t, line: string, message: string) {
    t.throws(() => parseFlags(flags, line.split(' ')), { message });
  },
});

test(fails, '--nope', 'unknown flag: --nope');
test(fails, '-qx', "unknown shorthand flag: 'x' in -x");
test(fails, '--output', 'flag needs an argument: --output');
test(fails, '-o', "flag needs an argument: 'o' in -o");
test(fails, '--=x', 'bad flag syntax: --=x');
test(fails, '--max x', 'invalid argument "x" for "-m, --max" flag: strconv.ParseInt: parsing "x": invalid syntax');
test(fails, '--quiet=x', 'invalid argument "x" for "-q, --quiet" flag: strconv.ParseBool: parsing "x": invalid syntax');
test(fails, '--timeout 5', 'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"');
test(fails, '--labels a', 'invalid argument "a" for "-l, --labels" flag: a must be formatted as key=value');

test('a deprecated flag is read with a warning', (t) => {
  const { given, warnings } = parseFlags(flags, ['--force']);
  t.true(given.get('force'));
  t.is(warnings, 'Flag --force has been deprecated, use --strong instead\n');
});

test('unknown flags are ignored with their values if the caller wants it', (t) => {
  const args = ['--nope', 'value', '-x', 'value', '--other=1', 'name', '-q'];
  const parsed = parseFlags(flags, args, { ignoreUnknown: true });
  t.deepEqual(parsed.args, ['name']);
  t.true(parsed.given.get('quiet'));
});

test('flags that are not given have their initial values', (t) => {
  const values = flagValues(flags, new Map());
  t.is(values.text('output'), 'table');
  t.is(values.integer('max'), 256);
  t.true(values.isOn('hooks'));
  t.false(values.isGiven('hooks'));
});

test('asking for a flag that a command does not have is an error', (t) => {
  t.throws(() => flagValues(flags, new Map()).isOn('max'), { instanceOf: TypeError });
});
