import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readArchiveFiles } from '../chart/load/load-archive.ts';
import { readMetadata } from '../chart/metadata/read-metadata.ts';
import { codeOf } from '../errors/index.ts';
import { quote } from '../go/strconv.ts';
import { fromBytes } from '../go/text.ts';

/** The names of an archive before it is unpacked. */
export interface ArchiveSource {
  /** The name by which the chart was requested. Default: it was requested by its URL. */
  readonly chartName?: string | undefined;
  /** The name of the archive's file: `web-1.0.0.tgz`. */
  readonly fileName: string;
}

/**
 * Writes the files of a chart's archive to a new folder with the chart's name below another one
 * (pkg/chart/v2/util/expand.go). The paths of the files do not lead out of it. Unlike Helm, refuses
 * a hidden folder, one that exists, and a name that is not that of the archive: otherwise the chart
 * could replace files of the user, such as `.git/config`. Throws an error with Helm's text if it
 * has one.
 */
export async function expandArchive(archive: Uint8Array, folder: string, source?: ArchiveSource): Promise<void> {
  const files = await readArchiveFiles(archive);
  const chartFile = files.findLast(({ name }) => name === 'Chart.yaml');
  const name = chartFile === undefined ? '' : readMetadata(fromBytes(chartFile.data)).name;
  requireFolderName(name);
  if (source !== undefined) requireSameName(name, source);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await makeNewFolder(join(folder, name));
  // the last of several files with the same name counts
  for (const file of new Map(files.map((each) => [each.name, each])).values()) {
    const path = join(folder, name, file.name);
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await writeFile(path, file.data, { mode: 0o644, flag: 'wx' });
  }
}

function requireFolderName(name: string): void {
  if (name === '') throw new Error('chart name not specified');
  if (name.includes('/')) throw new Error(`chart name ${quote(name)} must not contain path separators`);
  // the names that helm create allows, except those of hidden folders
  if (!/^[a-zA-Z0-9_-][a-zA-Z0-9._-]*$/.test(name)) throw new Error(`chart name ${quote(name)} is not allowed`);
}

function requireSameName(name: string, { chartName, fileName }: ArchiveSource): void {
  const isSame =
    chartName === undefined ? fileName === `${name}.tgz` || fileName.startsWith(`${name}-`) : name === chartName;
  if (isSame) return;
  const requested = chartName === undefined ? `the archive ${quote(fileName)}` : `the chart ${quote(chartName)}`;
  const problem = `failed to untar: ${requested} is a chart named ${quote(name)}`;
  throw new Error(`${problem}; pull it without --untar if that is right`);
}

async function makeNewFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o755 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`failed to untar: a file or directory with the name ${path} already exists`, { cause: error });
  });
}
