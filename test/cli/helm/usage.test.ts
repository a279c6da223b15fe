import { readFileSync } from 'node:fs';
import test from 'ava';
import { testProgram } from '../support/program.ts';
import { helpShape } from './support/help-shape.ts';

interface Golden {
  args: string[];
  stdout: string;
  stderr: string;
  code: number;
}

/** The output of helm 4.2.4, recorded by tools/record-helm-usage.ts. */
const goldens = JSON.parse(readFileSync(new URL('fixtures/usage.json', import.meta.url), 'utf8')) as Golden[];

const prints = test.macro({
  title: (_, { args }: Golden) => `prints what helm prints: helm ${args.join(' ')}`,
  async exec(t, { args, ...expected }: Golden) {
    const { run, stdout, stderr } = testProgram({ env: { HOME: '/home/helm', KUBECONFIG: '/dev/null' } });
    const code = await run('helm', ...args);
    t.deepEqual({ stdout: helpShape(stdout.text), stderr: helpShape(stderr.text), code }, expected);
  },
});

for (const golden of goldens) test(prints, golden);

test('a command that helm-agent does not have says so', async (t) => {
  const { run, stderr } = testProgram();
  t.is(await run('helm', 'plugin', 'install', '--version', '1'), 1);
  t.is(stderr.text, 'Error: "helm plugin" is not available in helm-agent; it does not run plugins\n');
});
