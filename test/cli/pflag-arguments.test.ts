import test from 'ava';
import { Option } from 'commander';
import { pflagArguments } from '../../src/cli/pflag-arguments.ts';

const options = [
  new Option('-n, --namespace <name>'),
  new Option('--wait [strategy]').preset('watcher'),
  new Option('--no-wait'),
  new Option('--atomic'),
  new Option('--no-atomic'),
  new Option('--devel'),
];

const reads = test.macro({
  title: (_, given: string) => `reads ${given} as pflag does`,
  exec: (t, given: string, expected: string) =>
    t.deepEqual(pflagArguments(options, given.split(' ')), expected.split(' ')),
});

test(reads, '--wait web nginx', '--wait=watcher web nginx');
test(reads, '--wait=legacy web', '--wait=legacy web');
test(reads, '--wait=', '--wait=');
test(reads, '-n --wait web', '-n --wait web');
test(reads, '--namespace --atomic web', '--namespace --atomic web');
test(reads, '--namespace=a --atomic', '--namespace=a --atomic');
test(reads, '--atomic=true', '--atomic');
test(reads, '--atomic=F', '--no-atomic');
test(reads, '--no-atomic=1', '--no-atomic');
test(reads, '--devel=t web', '--devel web');
test(reads, '--devel=false web', 'web');
test(reads, '--devel=maybe', '--devel=maybe');
test(reads, '--other=true', '--other=true');
test(reads, '-- --wait', '-- --wait');
