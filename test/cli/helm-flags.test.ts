import test from 'ava';
import { testProgram } from './support/program.ts';

const refuses = test.macro({
  title: (_, args: string) => `${args}: the error says what to do instead of the flag`,
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
  'error: helm-agent template has no --output-dir, unlike helm: redirect the output with > FILE\nhelm-agent template --help lists the flags\n',
);
test(
  refuses,
  'template rel web --dry-run=server',
  'error: helm-agent template has no --dry-run, unlike helm: this command does not use a cluster\nhelm-agent template --help lists the flags\n',
);
test(
  refuses,
  'show values web --password x',
  'error: helm-agent show values has no --password, unlike helm: put it into a file and use --password-file\nhelm-agent show values --help lists the flags\n',
);
test(
  refuses,
  'lint web --strickt',
  "error: unknown option '--strickt'\n(Did you mean --strict?)\nhelm-agent lint --help lists the flags\n",
);

test(
  refuses,
  'ctl upgrade web web --agent a --verify',
  'error: helm-agent ctl upgrade has no --verify, unlike helm: verify the archive of the chart before, with helm-agent helm verify\nhelm-agent ctl upgrade --help lists the flags\n',
);
test(
  refuses,
  'ctl uninstall web --agent a -o json',
  'error: helm-agent ctl uninstall has no --output, unlike helm: for JSON use the REST API, see docs/protocol.md\nhelm-agent ctl uninstall --help lists the flags\n',
);

test('the help does not list flags that only helm has', async (t) => {
  const program = testProgram();
  t.is(await program.run('template', '--help'), 0);
  t.notRegex(program.stdout.text, /output-dir|dry-run/);
});
