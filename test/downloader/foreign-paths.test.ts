import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { writeManifests } from '../../src/cli/helm/charts/write-manifests.ts';
import { expandArchive } from '../../src/downloader/expand-archive.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { helmHome } from '../cli/helm/support/helm-home.ts';
import { indexYaml, serve } from '../source/test-repository.ts';

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'foreign-paths-'));
  t.teardown(() => rm(path, { recursive: true }));
  return path;
}

const chartOf = async (name: string, files: Record<string, string> = {}) =>
  archiveOf({ 'web/Chart.yaml': `apiVersion: v2\nname: ${JSON.stringify(name)}\nversion: 1.0.0\n`, ...files });

for (const name of [
  '.git',
  '.',
  '..',
  '.ssh',
  '../web',
  'a/b',
  String.raw`a\b`,
  '/tmp/x',
  'C:x',
  'web\n',
  '',
  ' ',
  'wéb',
]) {
  test(`a chart named ${JSON.stringify(name)} is not unpacked`, async (t) => {
    const path = await folder(t);
    await mkdir(join(path, '.git'));
    await writeFile(join(path, '.git/config'), 'mine');
    const archive = await chartOf(name, { 'web/config': 'fsmonitor = touch owned' });
    await t.throwsAsync(expandArchive(archive, path), { message: /^chart name / });
    t.deepEqual(await readdir(path), ['.git']);
    t.is(await readFile(join(path, '.git/config'), 'utf8'), 'mine');
  });
}

const present: Record<string, (path: string) => Promise<void>> = {
  'an empty folder': (path) => mkdir(path).then(() => undefined),
  'a file': (path) => writeFile(path, 'mine'),
  'a link to a folder': (path) => symlink('.', path),
  'a link to nothing': (path) => symlink('nowhere', path),
};
for (const [what, create] of Object.entries(present)) {
  test(`a chart does not replace ${what} with its name`, async (t) => {
    const path = await folder(t);
    await create(join(path, 'web'));
    const before = await lstat(join(path, 'web'));
    await t.throwsAsync(expandArchive(await chartOf('web'), path), {
      message: `failed to untar: a file or directory with the name ${path}/web already exists`,
    });
    t.is((await lstat(join(path, 'web'))).ino, before.ino);
    t.deepEqual(await readdir(path), ['web']);
  });
}

test('the last of several files with the same name in an archive counts, as in Helm', async (t) => {
  const path = await folder(t);
  const archive = await chartOf('web', { 'web/a': 'first', 'other/a': 'last' });
  await expandArchive(archive, path);
  t.is(await readFile(join(path, 'web/a'), 'utf8'), 'last');
});

test('a chart is unpacked only with the name by which it was pulled', async (t) => {
  const scripts = await chartOf('scripts');
  const { url } = await serve(t, {
    '/index.yaml': indexYaml({ web: [{ version: '1.0.0' }], scripts: [{ version: '1.0.0' }] }),
    '/web-1.0.0.tgz': scripts,
    '/scripts-1.0.0.tgz': scripts,
  });
  const { home, helm } = await helmHome(t);
  const untar = (...args: string[]) => helm('pull', ...args, '--untar', '-d', join(home, 'out'));
  const refusal = (what: string) =>
    `Error: failed to untar: ${what} is a chart named "scripts"; pull it without --untar if that is right\n`;
  t.is((await untar('web', '--repo', url)).stderr, refusal('the chart "web"'));
  t.is((await untar(`${url}/web-1.0.0.tgz`)).stderr, refusal('the archive "web-1.0.0.tgz"'));
  await helm('repo', 'add', 'team', url);
  t.is((await untar('team/web')).stderr, refusal('the chart "web"'));
  await t.throwsAsync(stat(join(home, 'out')), { code: 'ENOENT' });
  t.is((await untar('team/scripts')).code, 0);
  t.true((await stat(join(home, 'out/scripts/Chart.yaml'))).isFile());
});

for (const [url, name] of [
  ['.bashrc', '.bashrc'],
  ['a/%2Ebashrc', '.bashrc'],
  ['..%2f..%2f.profile', '.profile'],
  ['a%5Cb.tgz', String.raw`a\\b.tgz`],
  ['a%0Ab.tgz', String.raw`a\nb.tgz`],
  ['.web-1.0.0.tgz', '.web-1.0.0.tgz'],
] as const) {
  test(`an index cannot choose the file name of ${url}`, async (t) => {
    const archive = await chartOf('web');
    const repository = await serve(t, {
      '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url }] }),
      [`/${url}`]: archive,
    });
    const { home, helm } = await helmHome(t);
    const { stderr } = await helm('pull', 'web', '--repo', repository.url, '-d', home);
    t.regex(stderr, /^Error: the URL http:.* does not end with the name of a file: .* is not allowed\n$/);
    t.true(stderr.includes(`"${name}" is not allowed`));
    t.deepEqual(await readdir(home), []);
  });
}

test('a pulled file replaces another one only if its name is that of an archive', async (t) => {
  const archive = await chartOf('web');
  const { url } = await serve(t, {
    '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: 'Makefile' }], db: [{ version: '1.0.0' }] }),
    '/Makefile': archive,
    '/db-1.0.0.tgz': archive,
  });
  const { home, helm } = await helmHome(t);
  const pull = (name: string) => helm('pull', name, '--repo', url, '-d', home);
  t.is((await pull('web')).code, 0);
  await writeFile(join(home, 'Makefile'), 'all:');
  t.is(
    (await pull('web')).stderr,
    'Error: HOME/Makefile already exists, and its name is not that of an archive; move it, or use --destination\n',
  );
  t.is(await readFile(join(home, 'Makefile'), 'utf8'), 'all:');
  t.is((await pull('db')).code, 0);
  t.is((await pull('db')).code, 0);
});

for (const source of ['.git/templates/x.yaml', '/etc/x.yaml', 'a/../../x.yaml', String.raw`\x.yaml`]) {
  test(`a manifest is not written to ${source}`, async (t) => {
    const path = await folder(t);
    const manifests = [{ path: source, content: 'a: 1' }];
    const folders = { crds: path, templates: path };
    await t.throwsAsync(writeManifests({ crds: [], manifests, hooks: [] }, folders, t.fail), {
      message: `the manifest ${JSON.stringify(source)} would be in a hidden folder`,
    });
    t.deepEqual(await readdir(path), []);
  });
}

test('repositories.yaml becomes private when it is written', async (t) => {
  const { url } = await serve(t, { '/index.yaml': indexYaml({}) });
  const { home, helm } = await helmHome(t);
  const path = join(home, 'config/repositories.yaml');
  await mkdir(join(home, 'config'));
  await writeFile(path, 'apiVersion: ""\nrepositories: []\n');
  await chmod(path, 0o666);
  t.is((await helm('repo', 'add', 'team', url, '--username', 'ada', '--password', 'secret')).code, 0);
  t.is((await stat(path)).mode & 0o777, 0o600);
});
