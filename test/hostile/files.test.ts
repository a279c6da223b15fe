import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readRegularFile } from '../../src/chart/load/read-file.ts';
import { createChartSource } from '../../src/source/chart-source.ts';
import { chartYaml } from '../source/packed-chart.ts';

/** Creates a folder of local charts with a chart `web`, and a folder beside it. */
async function folders(t: ExecutionContext): Promise<{ charts: string; web: string; outside: string }> {
  const base = await mkdtemp(join(tmpdir(), 'hostile-files-'));
  t.teardown(() => rm(base, { recursive: true }));
  const [charts, web, outside] = [join(base, 'charts'), join(base, 'charts/web'), join(base, 'outside')];
  await mkdir(web, { recursive: true });
  await mkdir(outside);
  await writeFile(join(web, 'Chart.yaml'), chartYaml('web'));
  await writeFile(join(web, 'a.txt'), 'a');
  return { charts, web, outside };
}

/** Returns the names of the chart's files, or the code of the error. */
async function load(localCharts: string, chartName = 'web'): Promise<string> {
  try {
    const chart = await createChartSource({ localCharts }).load({ chartName }, AbortSignal.timeout(10_000));
    return chart.files.map(({ name }) => name).join(' ');
  } catch (error) {
    return error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error);
  }
}

test('does not read a .helmignore that is a link out of the folder', async (t) => {
  const { charts, web, outside } = await folders(t);
  await writeFile(join(outside, 'rules'), 'a.txt\n.helmignore\n');
  await symlink(join(outside, 'rules'), join(web, '.helmignore'));
  t.regex(await load(charts), /^chart_invalid: .*leads out of its folder: ".helmignore"/);
});

test('reads a .helmignore that is a link to another file of the chart, as Helm does', async (t) => {
  const { charts, web } = await folders(t);
  await writeFile(join(web, 'rules'), 'a.txt\n');
  await symlink('rules', join(web, '.helmignore'));
  t.is(await load(charts), '.helmignore Chart.yaml rules');
});

test('ignores a .helmignore that is a link to nothing only if it stays in the folder', async (t) => {
  const { charts, web } = await folders(t);
  await symlink('/etc/shadow-of-nothing', join(web, '.helmignore'));
  t.regex(await load(charts), /^chart_invalid: .*leads out of its folder/);
});

for (const name of ['.helmignore', 'values.yaml', 'templates/a.yaml']) {
  test(`does not wait for a pipe called ${name}`, async (t) => {
    const { charts, web } = await folders(t);
    await mkdir(join(web, 'templates'));
    execFileSync('mkfifo', [join(web, name)]);
    t.regex(await load(charts), /^chart_invalid: cannot load irregular file/);
  });
}

test('does not wait for a pipe in the place of an archive', async (t) => {
  const { charts } = await folders(t);
  execFileSync('mkfifo', [join(charts, 'web.tgz')]);
  t.regex(await load(charts, 'web.tgz'), /^chart_not_found: .*neither a directory nor a chart archive/);
});

test('does not read an endless device', async (t) => {
  t.is(await readRegularFile('/dev/zero', 1000), 'irregular');
  const { charts, web } = await folders(t);
  await symlink('/dev/zero', join(web, 'zero'));
  t.regex(await load(charts), /^chart_invalid: .*leads out of its folder/);
});

test('does not read more than the limit of a file that grows', async (t) => {
  const { web } = await folders(t);
  const file = join(web, 'log');
  await writeFile(file, 'x');
  const state = { isOpen: true };
  const writing = (async () => {
    while (state.isOpen) await appendFile(file, 'x'.repeat(10_000));
  })();
  for (let i = 0; i < 20; i++) {
    const content = await readRegularFile(file, 100_000);
    if (typeof content !== 'string') t.true(content.length <= 100_000);
  }
  state.isOpen = false;
  await writing;
  t.is(await readRegularFile(file, 10), 'too large');
});

test('reads a file of any size up to the limit', async (t) => {
  const { web } = await folders(t);
  for (const size of [0, 1, 1000]) {
    await writeFile(join(web, 'file'), 'x'.repeat(size));
    t.deepEqual(await readRegularFile(join(web, 'file'), 1000), new Uint8Array(Buffer.from('x'.repeat(size))));
  }
  await writeFile(join(web, 'file'), 'x'.repeat(1001));
  t.is(await readRegularFile(join(web, 'file'), 1000), 'too large');
});

test('does not follow a link in the place of a file', async (t) => {
  const { web } = await folders(t);
  await symlink('a.txt', join(web, 'link'));
  t.is(await readRegularFile(join(web, 'link'), 1000), 'irregular');
});

test('matches patterns with many stars in little time', async (t) => {
  const { charts, web } = await folders(t);
  await writeFile(
    join(web, '.helmignore'),
    `${'*a'.repeat(30)}b\n*a*a*a*a*ab\n${'[a-z]*'.repeat(30)}0\n${'?*'.repeat(60)}b\n`,
  );
  await writeFile(join(web, 'a'.repeat(250)), '');
  const start = performance.now();
  t.regex(await load(charts), /Chart.yaml a.txt a{250}/);
  t.true(performance.now() - start < 8000);
});

test('refuses subcharts that are nested 30 deep in little time', async (t) => {
  const { charts, web } = await folders(t);
  let folder = web;
  for (let depth = 0; depth < 30; depth++) {
    folder = join(folder, 'charts/s');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'Chart.yaml'), chartYaml('s'));
  }
  const start = performance.now();
  t.regex(await load(charts), /^too_large: error unpacking subchart s in .*: subcharts are nested deeper than 20$/);
  t.true(performance.now() - start < 8000);
});
