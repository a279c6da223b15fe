import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ChartError } from '../../../src/chart/chart-error.ts';
import { loadDirectory } from '../../../src/chart/load/load-directory.ts';
import { chartYaml } from '../archive.ts';

async function folder(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'helm-agent-chart-'));
  t.teardown(() => rm(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}

test('loads files in order of their names, except those in .helmignore', async (t) => {
  const root = await folder(t, {
    'c/Chart.yaml': chartYaml('c'),
    'c/.helmignore': '# comment\n*.bak\n/docs\nlogs/\ntemplates/b?.yaml\n',
    'c/x.bak': '',
    'c/sub/y.bak': '',
    'c/docs/a': '',
    'c/sub/docs': '',
    'c/logs/a': '',
    'c/templates/b1.yaml': '',
    'c/templates/.hidden': '',
    'c/templates/z.yaml': '',
    'c/templates/a.yaml': '',
    'c/sub/logs': '',
  });
  const chart = await loadDirectory(join(root, 'c'));
  t.deepEqual(
    chart.templates.map(({ name }) => name),
    ['templates/a.yaml', 'templates/z.yaml'],
  );
  t.deepEqual(
    chart.files.map(({ name }) => name),
    ['.helmignore', 'sub/docs', 'sub/logs'],
  );
});

test('a negated rule ignores everything that it does not match', async (t) => {
  const root = await folder(t, { '.helmignore': '!*.yaml\n', 'Chart.yaml': chartYaml('c'), a: '', 'b.yaml': '' });
  t.deepEqual(
    (await loadDirectory(root)).files.map(({ name }) => name),
    ['b.yaml'],
  );
});

test('rejects invalid rules', async (t) => {
  for (const rule of ['a/**/b', '[', 'a\\']) {
    const root = await folder(t, { '.helmignore': rule, 'Chart.yaml': chartYaml('c') });
    const error = await t.throwsAsync(loadDirectory(root), { instanceOf: ChartError });
    t.is(error.code, 'chart_invalid');
  }
});

test('follows only links within the root folder', async (t) => {
  const root = await folder(t, {
    'c/Chart.yaml': chartYaml('c'),
    'common/Chart.yaml': chartYaml('common'),
    secret: 's',
  });
  await mkdir(join(root, 'c/charts'));
  await symlink('../../common', join(root, 'c/charts/common'));
  const chart = await loadDirectory(join(root, 'c'), { root });
  t.deepEqual(
    chart.dependencies.map(({ metadata }) => metadata.name),
    ['common'],
  );
  const error = await t.throwsAsync(loadDirectory(join(root, 'c')), { instanceOf: ChartError });
  t.is(error.message, 'the chart contains a symbolic link that leads out of its folder: "charts/common"');
});

test('refuses folders that are nested too deep', async (t) => {
  const files = { 'Chart.yaml': chartYaml('c'), [`${'a/'.repeat(100)}b`]: '' };
  t.is((await loadDirectory(await folder(t, files))).files.length, 1);
  const deeper = { ...files, [`${'a/'.repeat(101)}b`]: '' };
  const error = await t.throwsAsync(loadDirectory(await folder(t, deeper)), { instanceOf: ChartError });
  t.is(error.code, 'too_large');
  t.regex(error.message, /^the chart has more than 100 levels of folders: "a\//);
});

test('reports links that it follows, and rejects a broken one', async (t) => {
  const root = await realpath(await folder(t, { 'Chart.yaml': chartYaml('c'), 'a/b': '' }));
  await symlink('a', join(root, 'd'));
  const seen: unknown[] = [];
  await loadDirectory(root, { notice: (...line) => seen.push(line) });
  const message = 'found symbolic link in path. Contents of linked file included and used';
  t.deepEqual(seen, [[message, { path: join(root, 'd'), resolved: join(root, 'a') }]]);

  await symlink('none', join(root, 'dead'));
  const error = await t.throwsAsync(loadDirectory(root), { instanceOf: ChartError });
  t.is(error.message, `error evaluating symlink ${root}/dead: lstat ${root}/none: no such file or directory`);
});

const deadLink = test.macro<[link: string, missing: string]>({
  title: (_, link, missing) => `a link to ${link} fails because ${missing} is missing`,
  async exec(t, link, missing) {
    const root = await realpath(await folder(t, { 'Chart.yaml': chartYaml('c'), 'a/b': '' }));
    await symlink('none', join(root, 'a/other'));
    await symlink('b', join(root, 'a/fine'));
    await symlink(link, join(root, 'Dead'));
    const message = `error evaluating symlink ${root}/Dead: lstat ${root}/${missing}: no such file or directory`;
    await t.throwsAsync(loadDirectory(root), { instanceOf: ChartError, message });
  },
});

test(deadLink, 'x/y/z', 'x');
test(deadLink, 'a/x/y', 'a/x');
test(deadLink, 'a/../x', 'x');
test(deadLink, 'a/other', 'a/none');

test('does not reveal whether a path outside the folder exists', async (t) => {
  const root = await folder(t, { 'c/Chart.yaml': chartYaml('c') });
  await symlink('../none', join(root, 'c/dead'));
  const message = 'the chart contains a symbolic link that leads out of its folder: "dead"';
  await t.throwsAsync(loadDirectory(join(root, 'c')), { instanceOf: ChartError, message });
});

test('rejects link cycles and devices', async (t) => {
  const root = await realpath(await folder(t, { 'Chart.yaml': chartYaml('c') }));
  await symlink('b', join(root, 'a'));
  await symlink('a', join(root, 'b'));
  await t.throwsAsync(loadDirectory(root), {
    instanceOf: ChartError,
    message: `error evaluating symlink ${root}/a: EvalSymlinks: too many links`,
  });
  await rm(join(root, 'b'));
  await rm(join(root, 'a'));
  await symlink('/dev/null', join(root, 'null'));
  await t.throwsAsync(loadDirectory(root, { root: '/' }), {
    instanceOf: ChartError,
    message: `cannot load irregular file ${root}/null as it has file mode type bits set`,
  });
});

test('reports requirements.yaml in a chart or subchart of apiVersion v2', async (t) => {
  const root = await folder(t, {
    'Chart.yaml': chartYaml('c'),
    'requirements.lock': '',
    constructor: '',
    'charts/s/Chart.yaml': chartYaml('s'),
    'charts/s/requirements.yaml': '',
    'charts/old/Chart.yaml': 'name: old\nversion: 1.0.0',
    'charts/old/requirements.yaml': '',
  });
  const seen: string[] = [];
  await loadDirectory(root, { notice: (line) => seen.push(line.slice(0, 40)) });
  t.deepEqual(seen, ['Warning: Dependency locking is handled i', 'Warning: Dependencies are handled in Cha']);
});

test('reports the first invalid file in order of names', async (t) => {
  const root = await folder(t, { 'Chart.lock': '[', 'values.yaml': '[' });
  await t.throwsAsync(loadDirectory(root), { message: /^cannot load Chart\.lock/ });
  await rm(join(root, 'Chart.lock'));
  await t.throwsAsync(loadDirectory(root), { message: /^cannot load values\.yaml/ });
  await rm(join(root, 'values.yaml'));
  await t.throwsAsync(loadDirectory(root), { message: /Chart\.yaml file is missing/ });
});

test('rejects a link to a folder that contains the link', async (t) => {
  const root = await folder(t, { 'Chart.yaml': chartYaml('c'), 'a/b': '' });
  await symlink('..', join(root, 'a/up'));
  const error = await t.throwsAsync(loadDirectory(root), { instanceOf: ChartError });
  t.regex(error.message, /link to a folder that contains the link: "a\/up"/);
});

test('rejects files that are too large', async (t) => {
  const root = await folder(t, { 'Chart.yaml': chartYaml('c'), big: 'x'.repeat(5 * 1024 * 1024 + 1) });
  const error = await t.throwsAsync(loadDirectory(root), { instanceOf: ChartError });
  t.is(error.code, 'too_large');
});
