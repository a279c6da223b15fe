import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packChart } from '../source/packed-chart.ts';
import { serveRegistry } from '../source/test-registry.ts';
import { indexYaml, serve } from '../source/test-repository.ts';
import { testProgram } from './support/program.ts';

process.chdir(new URL('./fixtures/charts', import.meta.url).pathname);

/** Returns the program with a home for its caches. */
async function programAtHome(t: ExecutionContext) {
  const home = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(home, { recursive: true }));
  return testProgram({ env: { HOME: home } });
}

async function repository(t: Parameters<typeof serve>[0]) {
  return serve(t, {
    '/index.yaml': indexYaml({ web: [{ version: '1.2.0' }, { version: '1.3.0-rc.1' }] }),
    '/web-1.2.0.tgz': await packChart('stable'),
    '/web-1.3.0-rc.1.tgz': await packChart('next'),
    '/values.yaml': 'a: {b: 1}',
    '/part.txt': 'text',
  });
}

const finds = test.macro({
  title: (_, rule: string) => rule,
  async exec(t, _rule: string, flags: string[], description: string, logged: string) {
    const { url } = await repository(t);
    const program = await programAtHome(t);
    t.is(await program.run('show', 'chart', ...flags.map((flag) => flag.replace('URL', url))), 0);
    t.regex(program.stdout.text, new RegExp(`description: ${description}\n`));
    t.is(program.stderr.text, logged);
  },
});

test(
  finds,
  'shows the archive at a URL, and ignores the version',
  ['URL/web-1.2.0.tgz', '--version', '9'],
  'stable',
  '',
);
test(finds, 'shows the newest stable version of a repository', ['web', '--repo', 'URL'], 'stable', '');
test(finds, '--devel includes pre-releases', ['web', '--repo', 'URL', '--devel'], 'next', '');
test(
  finds,
  '--version takes precedence over --devel',
  ['web', '--repo', 'URL', '--devel', '--version', '^1'],
  'stable',
  '',
);
test(
  finds,
  'warns if it selects another version than the requested one, as Helm does',
  ['web', '--repo', 'URL', '--version', '1.2'],
  'stable',
  'level=WARN msg="unable to find exact version requested; falling back to closest available version" chart=web requested=1.2 selected=1.2.0\n',
);

test('pulls a chart from a registry, and prints its reference and digest to stderr', async (t) => {
  const { host, digests } = await serveRegistry(t, { '1.2.0': await packChart('pulled') });
  const program = await programAtHome(t);
  t.is(await program.run('show', 'chart', `oci://${host}/team/web`, '--plain-http'), 0);
  t.regex(program.stdout.text, /description: pulled\n/);
  t.is(program.stderr.text, `Pulled: ${host}/team/web:1.2.0\nDigest: ${digests['1.2.0'] ?? ''}\n`);
});

test('says why the tag of a chart from a registry has an underscore, as Helm does', async (t) => {
  const { host } = await serveRegistry(t, { '1.2.0_build': await packChart('pulled') });
  const program = await programAtHome(t);
  t.is(await program.run('show', 'chart', `oci://${host}/team/web`, '--version', '1.2.0+build', '--plain-http'), 0);
  const [, , ...lines] = program.stderr.text.split('\n');
  t.is(lines[0], `${host}/team/web:1.2.0_build contains an underscore.`);
  t.is(lines[2], 'OCI artifact references (e.g. tags) do not support the plus sign (+). To support');
});

test('reads values from URLs', async (t) => {
  const { url } = await repository(t);
  const program = await programAtHome(t);
  const args = ['template', 'web', '-f', `${url}/values.yaml`, '--set-file', `c=${url}/part.txt`];
  t.is(await program.run(...args), 0, program.stderr.text);
  t.regex(program.stdout.text, /\\"a\\":\{\\"b\\":1\},\\"c\\":\\"text\\"/);
});

const refuses = test.macro({
  title: (_, what: string) => `refuses ${what}`,
  async exec(t, _what: string, args: string[], text: RegExp) {
    const { url } = await repository(t);
    const program = await programAtHome(t);
    t.is(await program.run(...args.map((arg) => arg.replace('URL', url))), 1);
    t.is(program.stdout.text, '');
    t.regex(program.stderr.text, text);
  },
});

test(
  refuses,
  'a URL without a chart',
  ['show', 'all', 'URL/none.tgz'],
  /^Error: failed to fetch http.*none\.tgz : 404 Not Found\n$/,
);
test(
  refuses,
  'a missing file of values',
  ['lint', 'web', '-f', 'URL/none.yaml'],
  /^Error: the file of values was not found at http.*; check the URL\n$/,
);
test(refuses, 'a chart of a named repository', ['template', 'stable/web'], /^Error: repo stable not found\n$/);
test(refuses, 'a name that is not a path', ['template', 'web-server'], /got: web-server\n$/);
