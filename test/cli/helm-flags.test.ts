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
  'lint web --strickt',
  "Error: unknown flag: --strickt\n\nDid you mean this?\n\t--strict\n\nRun 'helm-agent lint --help' for usage.\n",
);

test(
  refuses,
  'ctl upgrade web web --agent a --keyring keys.gpg',
  "Error: helm-agent ctl upgrade has no --keyring, unlike helm: verify the archive of the chart before, with helm-agent helm verify\nRun 'helm-agent ctl upgrade --help' for usage.\n",
);
test(
  refuses,
  'ctl uninstall web --agent a -o json',
  "Error: helm-agent ctl uninstall has no --output, unlike helm: for JSON use the REST API, see docs/protocol.md\nRun 'helm-agent ctl uninstall --help' for usage.\n",
);

for (const command of ['template', 'lint', 'show chart']) {
  test(`the help of ${command} lists the flags that helm lacks, and the help of helm ${command} does not`, async (t) => {
    const flags = /--(?:allow-nunjucks|limits|password-file) /;
    const own = testProgram();
    t.is(await own.run(...command.split(' '), '--help'), 0);
    t.regex(own.stdout.text, flags);
    const helm = testProgram();
    t.is(await helm.run('helm', ...command.split(' '), '--help'), 0);
    t.notRegex(helm.stdout.text, flags);
  });
}
