import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readArchiveFiles } from '../../../chart/load/load-archive.ts';
import { readMetadata } from '../../../chart/metadata/read-metadata.ts';
import { quote } from '../../../go/strconv.ts';
import { fromBytes } from '../../../go/text.ts';

/**
 * Writes the files of a chart's archive to a folder with the chart's name below another one
 * (pkg/chart/v2/util/expand.go). The paths of the files do not lead out of it. Throws an error with
 * Helm's text.
 */
export async function expandArchive(archive: Uint8Array, folder: string): Promise<void> {
  const files = await readArchiveFiles(archive);
  const chartFile = files.findLast(({ name }) => name === 'Chart.yaml');
  const name = (chartFile && readMetadata(fromBytes(chartFile.data)).name) ?? '';
  if (name === '') throw new Error('chart name not specified');
  if (name === '.' || name === '..') throw new Error(`chart name ${quote(name)} is not allowed`);
  if (name.includes('/')) throw new Error(`chart name ${quote(name)} must not contain path separators`);
  for (const file of files) {
    const path = join(folder, name, file.name);
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await writeFile(path, file.data, { mode: 0o644 });
  }
}
