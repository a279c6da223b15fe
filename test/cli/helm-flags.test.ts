import test from 'ava';
import { testProgram } from './support/program.ts';

const refuses = test.macro({
  title: (_, args: string) => `${args}: the flag is refused with what to do instead`,
  async exec(t, args: string, text: string) {
    const program = testProgram();
    t.is(await program.run(...args.split(' ')), 1);
    t.is(program.stderr.text, text);
    t.is(program.stdout.text, '');
  },
});

test(
  refuses,
  'template rel web --output-dir out',
  'error: helm-agent template has no --output-dir, unlike helm: send the output to a file with > FILE\nhelm-agent template --help lists the flags\n',
);
test(
  refuses,
  'template rel web --dry-run=server',
  'error: helm-agent template has no --dry-run, unlike helm: no cluster is asked here\nhelm-agent template --help lists the flags\n',
);
test(
  refuses,
  'show values web --password x',
  'error: helm-agent show values has no --password, unlike helm: put it into a file, and give --password-file\nhelm-agent show values --help lists the flags\n',
);
test(
  refuses,
  'lint web --strickt',
  "error: unknown option '--strickt'\n(Did you mean --strict?)\nhelm-agent lint --help lists the flags\n",
);

test('flags that are not there are not in the help', async (t) => {
  const program = testProgram();
  t.is(await program.run('template', '--help'), 0);
  t.notRegex(program.stdout.text, /output-dir|dry-run/);
});
