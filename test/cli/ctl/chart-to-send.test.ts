import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ApiClient } from '../../../src/cli/ctl/api-client.ts';
import { chartToSend, packedChart } from '../../../src/cli/ctl/chart-to-send.ts';
import { chartYaml, packChart } from '../../source/packed-chart.ts';

const never = new AbortController().signal;

/** Packs the chart of an archive in a folder. `maxBytes` is as for {@link packedChart}. */
async function packed(t: ExecutionContext, files: Record<string, string | Buffer>, name: string, maxBytes?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'charts-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'web'));
  for (const [file, data] of Object.entries(files)) await writeFile(join(folder, file), data);
  const chart = await chartToSend(join(folder, name), {});
  if (chart === undefined) throw new Error('there is no chart');
  const uploads: string[] = [];
  const client = {
    uploadChart: (id: string) => {
      uploads.push(id);
      return Promise.resolve();
    },
  } as unknown as ApiClient; // no other method is called
  return { fields: await packedChart(chart, client, never, undefined, maxBytes), uploads };
}

const archive = await packChart('one');

test('the provenance file beside an archive is sent with it', async (t) => {
  const { fields } = await packed(t, { 'web.tgz': archive, 'web.tgz.prov': 'signed' }, 'web.tgz');
  t.like(fields, { chartArchive: archive.toString('base64'), chartProvenance: 'signed' });
});

test('the provenance file beside an archive is sent with one that is uploaded', async (t) => {
  const { fields, uploads } = await packed(t, { 'web.tgz': archive, 'web.tgz.prov': 'signed' }, 'web.tgz', 10);
  t.like(fields, { chartProvenance: 'signed' });
  t.is(uploads.length, 1);
});

test('an archive without a provenance file, or with one that is too large, is sent alone', async (t) => {
  const large = 'a'.repeat(256 * 1024 + 1);
  for (const files of [{}, { 'web.tgz.prov': large }, { 'web.prov': 'of another' }]) {
    const { fields } = await packed(t, { 'web.tgz': archive, ...files }, 'web.tgz');
    t.false('chartProvenance' in fields);
  }
});

test('a folder has no provenance file', async (t) => {
  const { fields } = await packed(t, { 'web/Chart.yaml': chartYaml('one'), 'web.prov': 'signed' }, 'web');
  t.false('chartProvenance' in fields);
});
