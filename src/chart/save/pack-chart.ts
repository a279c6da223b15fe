import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Chart } from '../chart.ts';
import { archiveFiles } from './archive-files.ts';

/**
 * Packs a chart as `helm package` does (pkg/chart/v2/util/save.go). Files without a time of their
 * last change get the time `now`. Throws `ChartError`.
 */
export async function packChart(chart: Chart, now: Date): Promise<Buffer> {
  const tar = pack();
  for (const { name, data, modified } of archiveFiles(chart)) {
    tar.entry({ name, mode: 0o644, mtime: toSeconds(modified ?? now) }, Buffer.from(data));
  }
  tar.finalize();
  return promisify(gzip)(await buffer(tar));
}

/** Returns the name of a chart's archive. */
export function archiveName({ metadata: { name, version } }: Chart): string {
  return `${name}-${version}.tgz`;
}

/** Go rounds the times in an archive. */
function toSeconds(time: Date): Date {
  return new Date(Math.round(time.getTime() / 1000) * 1000);
}
