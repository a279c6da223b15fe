import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testProgram } from '../support/program.ts';
import { fixtureFolder, linesAboutSignatures } from './support/signature-lines.ts';

interface HelmRecord {
  args: string[];
  stdout: string;
  stderr: string;
  code: number;
}

/** The output of helm 4.2.4, recorded by tools/record-helm-signatures.ts. */
const records = JSON.parse(await readFile(join(fixtureFolder, 'lines.json'), 'utf8')) as HelmRecord[];

test('all command lines about signatures are recorded', (t) => {
  t.deepEqual(
    records.map(({ args }) => args),
    [...linesAboutSignatures],
  );
});

const printsTheSame = test.macro({
  title: (_, { args }: HelmRecord) => `prints what helm prints: ${args.join(' ').replaceAll(`${fixtureFolder}/`, '')}`,
  async exec(t, { args, ...expected }: HelmRecord) {
    const folder = await mkdtemp(join(tmpdir(), 'helm-agent-signatures-'));
    t.teardown(() => rm(folder, { recursive: true }));
    const { run, stdout, stderr } = testProgram({ env: { HOME: '/home/helm', KUBECONFIG: '/dev/null' } });
    const code = await run('helm', ...args.map((word) => word.replaceAll('OUTPUT', folder)));
    const [out, err] = [stdout.text, stderr.text].map((text) => text.replaceAll(folder, 'OUTPUT'));
    t.deepEqual({ stdout: out, stderr: err, code }, expected);
  },
});

for (const record of records) test(printsTheSame, record);
