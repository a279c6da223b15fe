import { gunzipSync, gzipSync } from 'node:zlib';
import type { Intervention } from './scenario.ts';

/** Returns the JSON of a stored release, decoded without the code under test. */
export function decodeRecord(data: unknown): Record<string, unknown> {
  const { release } = data as { release: string }; // as Helm stores it
  const compressed = Buffer.from(Buffer.from(release, 'base64').toString(), 'base64');
  return JSON.parse(gunzipSync(compressed).toString()) as Record<string, unknown>;
}

/** Returns a stored release with the files of its chart as text. */
export function withChartTexts(record: Record<string, unknown>): Record<string, unknown> {
  const chart = record['chart'] as Record<string, unknown>; // every release has one
  const texts = (files: unknown) =>
    Array.isArray(files)
      ? (files as { data?: string }[]).map(({ data = '', ...file }) => ({
          ...file,
          data: Buffer.from(data, 'base64').toString(),
        }))
      : files;
  return { ...record, chart: { ...chart, templates: texts(chart['templates']), files: texts(chart['files']) } };
}

/** Changes the status of a revision, as a client that has ended would have left it. */
export const setStatus =
  (release: string, version: number, status: string): Intervention =>
  async ({ cluster, namespace }) => {
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: `sh.helm.release.v1.${release}.v${version}` };
    const record = decodeRecord((await cluster.get(ref))?.['data']);
    const changed = { ...record, info: { ...(record['info'] as object), status } };
    const text = gzipSync(JSON.stringify(changed)).toString('base64');
    const data = { release: Buffer.from(text).toString('base64') };
    await cluster.mergePatch(ref, { data, metadata: { labels: { status } } }, { fieldManager: 'helm' });
  };
