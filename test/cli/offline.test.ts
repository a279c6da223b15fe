import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testProgram } from './support/program.ts';

interface Golden {
  args: string[];
  code: number;
  stdout: string;
  stderr: string;
}

const fixtures = new URL('./fixtures/', import.meta.url);
// made by fixtures/goldens/make.sh with the helm CLI
const goldens = JSON.parse(readFileSync(new URL('goldens/goldens.json', fixtures), 'utf8')) as Record<string, Golden>;
const charts = new URL('charts', fixtures).pathname;
process.chdir(charts);

const files = Object.fromEntries(['../first.yaml', '../second.yaml'].map((name) => [name, readFileSync(name, 'utf8')]));

for (const [name, golden] of Object.entries(goldens)) {
  test(`${name}: helm-agent prints what helm prints`, async (t) => {
    const program = testProgram({ files });
    const code = await program.run(...golden.args);
    t.is(program.stdout.text.replaceAll(charts, 'CHARTS'), golden.stdout);
    t.is(program.stderr.text.replaceAll(charts, 'CHARTS'), golden.stderr);
    t.is(code, golden.code);
  });
}

test('values come from stdin, files and flags, and later ones win', async (t) => {
  const program = testProgram({ files: { 'a.yaml': 'replicas: 5\nextra: {a: 1}', '-': 'replicas: 6' } });
  t.is(await program.run('template', 'web', '-f', 'a.yaml', '-f', '-', '--set', 'extra.b=2'), 0);
  t.regex(program.stdout.text, /\\"extra\\":\{\\"a\\":1,\\"b\\":2\}.*\\"replicas\\":6/);
});

test('the namespace comes from the environment if no flag sets it', async (t) => {
  const program = testProgram({ env: { HELM_NAMESPACE: 'from-env' } });
  t.is(await program.run('template', 'web'), 0);
  t.regex(program.stdout.text, /namespace: from-env/);
});

test('templates resolve host names only if a flag allows it', async (t) => {
  const chart = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(chart, { recursive: true }));
  await mkdir(join(chart, 'templates'));
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: db\nversion: 1.0.0\n');
  await writeFile(join(chart, 'templates/host.yaml'), 'host: {{ getHostByName "db.example" | quote }}\n');
  for (const command of [['template'], ['helm', 'template']]) {
    const program = testProgram({ env: { HOME: chart } });
    t.is(await program.run(...command, chart), 0);
    t.true(program.stdout.text.includes('\nhost: ""\n'));
    t.is(await program.run(...command, chart, '--enable-dns'), 0);
    t.true(program.stdout.text.endsWith('\nhost: "192.0.2.7"\n'));
  }
});

// helm prints 104 KB that end like this
test('a template that includes itself endlessly fails as in Helm', async (t) => {
  const program = testProgram();
  t.is(await program.run('template', 'rel', 'recursive'), 1);
  const end =
    'nested reference name: loop: unable to execute template\n\nUse --debug flag to render out invalid YAML\n';
  t.true(program.stderr.text.endsWith(end));
  t.is(program.stdout.text, '');
});
