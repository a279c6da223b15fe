import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { ChartArchives, type ChartArchivesOptions } from '../../../src/control-plane/charts/chart-archives.ts';
import { maxUploadedChartBytes } from '../../../src/protocol/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../support/file.ts';

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

async function* content(text: string | Buffer) {
  yield await Promise.resolve(Buffer.from(text));
}

async function archives(t: ExecutionContext, options: Partial<ChartArchivesOptions> = {}) {
  const folder = options.folder ?? dirname(await temporaryFile(t));
  let id = 0;
  const charts = new ChartArchives({
    folder,
    needed: () => new Set(),
    newId: () => String(++id),
    maxBytes: 1e9,
    ...options,
  });
  await charts.open();
  t.teardown(() => charts.close());
  return { charts, folder };
}

const textOf = async ({ charts }: { charts: ChartArchives }, digest: string, offset = 0) => {
  const read = charts.read(digest, offset);
  return read && (await buffer(read)).toString();
};

test('an archive is kept by its digest, also by the next process', async (t) => {
  const first = await archives(t);
  t.is(await first.charts.receive(content('chart')), digestOf('chart'));
  t.true(first.charts.has(digestOf('chart')));
  t.is(await textOf(first, digestOf('chart')), 'chart');
  t.is(await textOf(first, digestOf('chart'), 2), 'art');
  t.is(await textOf(first, digestOf('other')), undefined);
  t.is((await stat(join(first.folder, digestOf('chart').slice(7)))).mode & 0o777, 0o600);
  await first.charts.close();
  await writeFile(join(first.folder, 'a.partial'), 'half');
  const second = await archives(t, { folder: first.folder });
  t.is(await textOf(second, digestOf('chart')), 'chart');
  t.deepEqual(await readdir(first.folder), [digestOf('chart').slice(7)], 'half an archive is deleted');
});

test('an archive with another digest, or one that is too large, is refused and deleted', async (t) => {
  const { charts, folder } = await archives(t);
  await t.throwsAsync(charts.receive(content('chart'), digestOf('other')), { code: 'digest_mismatch' });
  const large = content(Buffer.alloc(maxUploadedChartBytes + 1));
  await t.throwsAsync(charts.receive(large), { code: 'too_large' });
  t.deepEqual(await readdir(folder), []);
});

test('archives that were not used for the longest time make room, unless commands need them', async (t) => {
  const needed = new Set([digestOf('needed')]);
  const { charts } = await archives(t, { needed: () => needed, maxBytes: maxUploadedChartBytes + 15 });
  for (const text of ['needed', 'older', 'newer']) await charts.receive(content(text));
  t.true(charts.has(digestOf('older')), 'which is now the one that was used last');
  await charts.receive(content('another'));
  t.deepEqual(
    ['needed', 'older', 'newer', 'another'].filter((text) => charts.has(digestOf(text))),
    ['needed', 'older', 'another'],
  );
  for (const text of ['older', 'another']) needed.add(digestOf(text));
  await t.throwsAsync(charts.receive(content('last')), { code: 'busy' });
});

test('an archive that a command comes to need while others are deleted is kept, or was not there', async (t) => {
  const needed = new Set<string>();
  let free = 1e15;
  const { charts, folder } = await archives(t, { needed: () => needed, freeBytes: () => Promise.resolve(free) });
  const digests: string[] = [];
  for (let number = 10; number < 50; number++) digests.push(await charts.receive(content(`chart ${number}`)));
  const [first = '', last = ''] = [digests[0], digests.at(-1)];
  free = maxUploadedChartBytes - 40 * 'chart 10'.length;
  const receiving = charts.receive(content('another'));
  await eventually('an archive is deleted', () => !existsSync(join(folder, first.slice(7))));
  const isThere = charts.has(last);
  if (isThere) needed.add(last);
  await receiving;
  t.is(charts.has(last), isThere);
});

test('a folder that cannot be used is an error with its name', async (t) => {
  const folder = await temporaryFile(t, 'file');
  await writeFile(folder, '');
  await t.throwsAsync(archives(t, { folder }), { code: 'store_unavailable', message: new RegExp(folder) });
});

test('without a folder, archives are in a temporary one, which is removed', async (t) => {
  const charts = new ChartArchives({ folder: undefined, needed: () => new Set(), newId: () => 'a', maxBytes: 1e9 });
  await charts.open();
  const digest = await charts.receive(content('chart'));
  t.is(await textOf({ charts }, digest), 'chart');
  await charts.close();
  t.is(charts.read(digest, 0), undefined);
});

test('archives leave a part of the volume free', async (t) => {
  const chart = maxUploadedChartBytes;
  let free = chart + 100;
  const needed = new Set<string>();
  const { charts } = await archives(t, {
    needed: () => needed,
    reservedBytes: 100,
    freeBytes: () => Promise.resolve(free),
  });
  await charts.receive(content('old'));
  free -= 1;
  await charts.receive(content('new'));
  t.deepEqual([charts.has(digestOf('old')), charts.has(digestOf('new'))], [false, true]);
  needed.add(digestOf('new'));
  await t.throwsAsync(charts.receive(content('third')), { code: 'busy', message: /100 bytes of the volume stay free/ });
  free += 1;
  await t.notThrowsAsync(charts.receive(content('third')));
});
