import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { extract } from 'tar-stream';
import { packChart } from '../../source/packed-chart.ts';
import { helmHome } from './support/helm-home.ts';

const time = new Date('2020-01-02T03:04:05Z');

async function writeChart(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await utimes(path, time, time);
  }
}

async function entriesOf(archive: Buffer) {
  const entries: { name: string; mode: number | undefined; time: string }[] = [];
  const tar = extract();
  tar.end(gunzipSync(archive));
  for await (const entry of tar) {
    const { name, mode, mtime } = entry.header;
    entries.push({ name, mode, time: mtime.toISOString() });
    entry.resume();
  }
  return entries;
}

const lock = 'dependencies: []\ndigest: sha256:0\ngenerated: "2019-01-01T00:00:00.6Z"\n';

test('package writes what helm package writes: files in its order with their times, subcharts unpacked', async (t) => {
  const { home, helm } = await helmHome(t);
  await writeChart(join(home, 'app'), {
    'Chart.yaml': 'name: app\nversion: 1.0.0\napiVersion: v2\n# a comment\n',
    'Chart.lock': lock,
    '.helmignore': '*.bak',
    'values.yaml': 'a: 1 # kept\n',
    'values.schema.json': '{}',
    'templates/a.yaml': 'a: 1',
    'README.md': 'read',
    'x.bak': 'ignored',
    'charts/web.tgz': await packChart('a server'),
  });
  const { stdout, code } = await helm('package', join(home, 'app'), '-d', join(home, 'out'), '--app-version', '7');
  t.is(code, 0);
  t.is(stdout, 'Successfully packaged chart and saved it to: HOME/out/app-1.0.0.tgz\n');
  const entry = (name: string, modified = time.toISOString()) => ({ name, mode: 0o644, time: modified });
  t.deepEqual(await entriesOf(await readFile(join(home, 'out/app-1.0.0.tgz'))), [
    entry('app/Chart.yaml'),
    entry('app/Chart.lock', '2019-01-01T00:00:01.000Z'),
    entry('app/values.yaml'),
    entry('app/values.schema.json'),
    entry('app/templates/a.yaml'),
    entry('app/.helmignore'),
    entry('app/README.md'),
    entry('app/charts/web/Chart.yaml', '1970-01-01T00:00:00.000Z'),
  ]);
  t.is((await helm('show', 'values', join(home, 'out/app-1.0.0.tgz'))).stdout, 'a: 1 # kept\n\n');
  t.regex((await helm('show', 'chart', join(home, 'out/app-1.0.0.tgz'))).stdout, /^apiVersion: v2\nappVersion: "7"\n/);
});

test('package refuses what helm package refuses', async (t) => {
  const { home, helm } = await helmHome(t);
  await writeChart(join(home, 'app'), {
    'Chart.yaml': 'name: app\nversion: 1.0.0\napiVersion: v2\ndependencies: [{name: web, version: 1.0.0}]\n',
  });
  const errorOf = async (...args: string[]) => (await helm('package', ...args)).stderr;
  t.is(await errorOf(), 'Error: need at least one argument, the path to the chart\n');
  t.is(await errorOf(join(home, 'none')), 'Error: stat HOME/none: no such file or directory\n');
  t.is(await errorOf(join(home, 'app'), '--version', 'x'), 'Error: invalid semantic version\n');
  const missing = 'Error: found in Chart.yaml, but missing in charts/ directory: web\n';
  t.is(await errorOf(join(home, 'app')), missing);
  t.is(await errorOf(join(home, 'app'), '--sign'), 'Error: --key is required for signing a package\n');
});

test('package says as helm does that the name of the archive is too long', async (t) => {
  const { home, helm } = await helmHome(t);
  const name = 'a'.repeat(300);
  await writeChart(join(home, 'app'), { 'Chart.yaml': `name: ${name}\nversion: 1.0.0\napiVersion: v2\n` });
  // helm package app -d .
  const stderr = `Error: failed to save: open HOME/${name}-1.0.0.tgz: file name too long\n`;
  t.deepEqual(await helm('package', join(home, 'app'), '-d', home), { code: 1, stdout: '', stderr });
});
