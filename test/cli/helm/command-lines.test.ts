import { readFileSync } from 'node:fs';
import test from 'ava';
import { testProgram } from '../support/program.ts';
import { helpShape } from './support/help-shape.ts';

interface HelmRecord {
  args: string[];
  stdout: string;
  stderr: string;
  code: number;
}

/** The output of helm 4.2.4, recorded by tools/record-helm-lines.ts. */
const file = new URL('fixtures/command-lines.json', import.meta.url);
const records = JSON.parse(readFileSync(file, 'utf8')) as HelmRecord[];

/** The first word, or the first two of a command in a group. */
function commandOf({ args: [first = '', second = ''] }: HelmRecord): string {
  const isGroup = ['dependency', 'get', 'registry', 'repo', 'search', 'show'].includes(first);
  return isGroup && /^[a-z]/.test(second) ? `${first} ${second}` : first;
}

const printsTheSame = test.macro({
  title: (_, command: string, lines: readonly HelmRecord[]) =>
    `helm ${command} prints and exits as helm does for ${lines.length} command lines, right and wrong`,
  async exec(t, _: string, lines: readonly HelmRecord[]) {
    for (const { args, ...expected } of lines) {
      const { run, stdout, stderr } = testProgram({ env: { HOME: '/home/helm', KUBECONFIG: '/dev/null' } });
      const code = await run('helm', ...args);
      const actual = { stdout: helpShape(stdout.text), stderr: helpShape(stderr.text), code };
      t.deepEqual(actual, expected, `helm ${args.join(' ')}`);
    }
  },
});

for (const [command, lines] of Map.groupBy(records, commandOf)) test(printsTheSame, command, lines);
