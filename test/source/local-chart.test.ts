import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ChartSourceOptions, createChartSource } from '../../src/source/chart-source.ts';
import type { SourceErrorCode } from '../../src/source/source-error.ts';
import { descriptionOf } from './chart-description.ts';
import { chartYaml, packChart } from './packed-chart.ts';

const never = new AbortController().signal;

/** Creates a folder `charts` with a chart as directory and as archive, and files outside of it. */
async function folders(t: ExecutionContext): Promise<{ charts: string; outside: string }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'local-charts-')));
  t.teardown(() => rm(base, { recursive: true }));
  const [charts, outside] = [join(base, 'charts'), join(base, 'charts-of-others')];
  await mkdir(join(charts, 'team/web'), { recursive: true });
  await mkdir(join(outside, 'web'), { recursive: true });
  await writeFile(join(charts, 'team/web/Chart.yaml'), chartYaml('directory'));
  await writeFile(join(charts, 'web-1.0.0.tgz'), await packChart('packed'));
  await writeFile(join(outside, 'secret.tgz'), 'secret');
  await symlink('team/web', join(charts, 'inner-link'));
  await symlink(join(outside, 'web'), join(charts, 'outer-link'));
  await symlink('../charts-of-others/secret.tgz', join(charts, 'outer-file.tgz'));
  await symlink('nowhere', join(charts, 'dangling'));
  await symlink('loop', join(charts, 'loop'));
  return { charts, outside };
}

async function load(
  localCharts: string,
  chartName: string,
  options: Partial<ChartSourceOptions> = {},
): Promise<string | undefined> {
  const source = createChartSource({ localCharts, ...options });
  return descriptionOf(await source.load({ chartName, repoUrl: '' }, never));
}

for (const path of ['team/web', './team/web', 'team//web/', 'inner-link']) {
  test(`loads ${path} as a chart directory`, async (t) => {
    const { charts } = await folders(t);
    t.is(await load(charts, path), 'directory');
  });
}

test('loads a file as a chart archive', async (t) => {
  const { charts } = await folders(t);
  t.is(await load(charts, 'web-1.0.0.tgz'), 'packed');
});

test('allows an absolute path below the folder', async (t) => {
  const { charts } = await folders(t);
  t.is(await load(charts, `${charts}/web-1.0.0.tgz`), 'packed');
});

test('allows the folder itself to be a symbolic link', async (t) => {
  const { charts, outside } = await folders(t);
  await symlink(charts, join(outside, 'link'));
  t.is(await load(join(outside, 'link'), 'team/web'), 'directory');
  t.is(await load(join(outside, 'link'), join(outside, 'link/web-1.0.0.tgz')), 'packed');
});

const refused = test.macro({
  title: (title, path: string) => title ?? `refuses ${JSON.stringify(path)}`,
  async exec(t, path: string, code: SourceErrorCode) {
    const { charts, outside } = await folders(t);
    const given = path.replace('OUTSIDE', outside).replace('CHARTS', charts);
    await t.throwsAsync(load(charts, given), { name: 'SourceError', code });
  },
});

for (const path of [
  '..',
  '../charts-of-others/web',
  'team/../../charts-of-others/secret.tgz',
  'team/../web-1.0.0.tgz',
  String.raw`..\charts-of-others`,
  'OUTSIDE/secret.tgz',
  'OUTSIDE/absent',
  'CHARTS/../charts-of-others/web',
  '/',
  'outer-link',
  'outer-link/absent',
  'outer-file.tgz',
  'team/web\0.tgz',
]) {
  test(refused, path, path === 'outer-link/absent' ? 'chart_not_found' : 'path_forbidden');
}
for (const path of ['absent', 'web-1.0.0.tgz/below', 'dangling', 'loop']) test(refused, path, 'chart_not_found');

test('refuses an archive that exceeds the size limit', async (t) => {
  const { charts } = await folders(t);
  await t.throwsAsync(load(charts, 'web-1.0.0.tgz', { maxArchiveBytes: 5 }), { code: 'too_large', message: /5 bytes/ });
});

test('refuses a device', async (t) => {
  await t.throwsAsync(load('/dev', 'null'), {
    code: 'chart_not_found',
    message: /neither a directory nor a chart archive/,
  });
});

test('refuses a path without a folder for local charts, and the error names the flag', async (t) => {
  const source = createChartSource();
  await t.throwsAsync(source.load({ chartName: 'team/web' }, never), {
    code: 'local_charts_disabled',
    message: /--local-charts DIR/,
  });
});

test('names a missing folder for local charts as the reason', async (t) => {
  await t.throwsAsync(load('/nowhere/at/all', 'web'), { code: 'local_charts_disabled', message: /ENOENT/ });
});

test('reports a file that is not an archive as an invalid chart', async (t) => {
  const { charts } = await folders(t);
  await writeFile(join(charts, 'notes.txt'), 'remember the milk');
  await t.throwsAsync(load(charts, 'notes.txt'), { name: 'ChartError', code: 'chart_invalid' });
});

test('follows links in a chart only if they stay below the folder', async (t) => {
  const { charts, outside } = await folders(t);
  await symlink(join(charts, 'web-1.0.0.tgz'), join(charts, 'team/web/backup'));
  t.is(await load(charts, 'team/web'), 'directory');
  await symlink(join(outside, 'secret.tgz'), join(charts, 'team/web/secret'));
  await t.throwsAsync(load(charts, 'team/web'), { code: 'chart_invalid', message: /leads out/ });
});

test('names a broken link in a chart', async (t) => {
  const { charts } = await folders(t);
  await symlink('nowhere', join(charts, 'team/web/docs'));
  await t.throwsAsync(load(charts, 'team/web'), { code: 'chart_invalid', message: /error evaluating symlink .*docs/ });
});

test('does not load a chart after an abort', async (t) => {
  const { charts } = await folders(t);
  const source = createChartSource({ localCharts: charts });
  await t.throwsAsync(source.load({ chartName: 'team/web' }, AbortSignal.abort()), { name: 'AbortError' });
});
