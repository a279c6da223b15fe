import type { Dirent } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, isMissing } from '../../errors/index.ts';
import { quote } from '../../go/strconv.ts';
import { compareStrings, fromBytes } from '../../go/text.ts';
import type { Chart, ChartFile } from '../chart.ts';
import { ChartError } from '../chart-error.ts';
import { type ChartLimits, defaultChartLimits } from '../limits.ts';
import type { Notice } from './chart-content.ts';
import { type IgnoreRules, isIgnored, parseIgnoreRules } from './ignore-rules.ts';
import { loadUnpacked, withoutByteOrderMark } from './load-archive.ts';
import { type Allocate, isBelow, readRegularFile } from './read-file.ts';

/** Levels of folders. The system resolves every path from the top, so deep ones are slow. */
const maxDepth = 100;

export interface DirectoryOptions {
  /** Folder that symbolic links must not leave. Default: the chart's folder. */
  root?: string;
  limits?: ChartLimits;
  signal?: AbortSignal;
  /** Memory for the files. Default: memory of their own. */
  allocate?: Allocate | undefined;
  /**
   * Called with Helm's notices about symbolic links and files that are no longer used. Default:
   * ignored.
   */
  notice?: Notice;
  /** Whether to keep when each file was changed last. Default: false. */
  times?: boolean;
}

interface Walk {
  /** Absolute path of the folder, as given. */
  readonly top: string;
  readonly notice: Notice;
  readonly root: string;
  readonly rules: IgnoreRules;
  readonly limits: ChartLimits;
  readonly signal: AbortSignal | undefined;
  readonly allocate: Allocate | undefined;
  readonly times: boolean;
  readonly files: ChartFile[];
  /** Real paths of the folders being walked: a link must not lead back into one. */
  readonly open: Set<string>;
  bytes: number;
  /** Files and folders, without ignored ones. */
  entries: number;
}

/**
 * Loads a chart from a folder, except files matched by its .helmignore. Throws {@link ChartError};
 * file system errors propagate.
 */
export async function loadDirectory(path: string, options: DirectoryOptions = {}): Promise<Chart> {
  return loadUnpacked(await readDirectoryFiles(path, options), options);
}

/**
 * Returns the files of a chart's folder, relative to it, except those matched by its .helmignore.
 * Throws as {@link loadDirectory} does.
 */
export async function readDirectoryFiles(path: string, options: DirectoryOptions = {}): Promise<ChartFile[]> {
  const {
    root = path,
    limits = defaultChartLimits,
    signal,
    allocate,
    notice = () => undefined,
    times = false,
  } = options;
  const folder = await realpath(path);
  const [top, realRoot] = [resolve(path), await realpath(root)];
  const walk: Walk = {
    top,
    notice,
    root: realRoot,
    rules: parseIgnoreRules(await readIgnoreFile(folder, { top, root: realRoot, limits })),
    limits,
    signal,
    allocate,
    times,
    files: [],
    open: new Set(),
    bytes: 0,
    entries: 0,
  };
  await walkFolder(walk, folder, { name: '', depth: 0 });
  return walk.files;
}

/** A missing file, or a link to one, is an empty one, as in Helm. */
async function readIgnoreFile(folder: string, walk: Pick<Walk, 'top' | 'root' | 'limits'>): Promise<string> {
  const name = '.helmignore';
  const real = await realpath(join(folder, name)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (real === undefined) return '';
  if (!isBelow(walk.root, real)) throw outsideRoot(name);
  return fromBytes(await readChartFile(walk, real, name));
}

/** A file or a folder of the chart. */
interface Item {
  /** Path in the chart. */
  name: string;
  /** Number of folders on that path. */
  depth: number;
}

/** @param folder its real path */
async function walkFolder(walk: Walk, folder: string, { name, depth }: Item): Promise<void> {
  if (depth > maxDepth)
    throw new ChartError('too_large', `the chart has more than ${maxDepth} levels of folders: ${quote(name)}`);
  if (walk.open.has(folder))
    throw new ChartError(
      'chart_invalid',
      `the chart contains a symbolic link to a folder that contains the link: ${quote(name)}`,
    );
  walk.open.add(folder);
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareStrings(a.name, b.name))) {
    walk.signal?.throwIfAborted();
    const path = name === '' ? entry.name : `${name}/${entry.name}`;
    await walkEntry(walk, entry, join(folder, entry.name), { name: path, depth: depth + 1 });
  }
  walk.open.delete(folder);
}

async function walkEntry(walk: Walk, entry: Dirent, path: string, item: Item): Promise<void> {
  const { name } = item;
  const isPlain = entry.isFile() || entry.isDirectory();
  const real = isPlain ? path : await resolveLink(walk, path, name);
  if (!isBelow(walk.root, real)) throw outsideRoot(name);
  const status = isPlain ? entry : await stat(real);
  if (isIgnored(walk.rules, name, status.isDirectory())) return;
  walk.entries++;
  if (walk.entries > walk.limits.entries) {
    throw new ChartError('too_large', `the chart has more than ${walk.limits.entries} files and folders`);
  }
  if (status.isDirectory()) {
    await walkFolder(walk, real, item);
    return;
  }
  if (!status.isFile()) throw irregular(walk, name);
  await takeFile(walk, real, name);
}

async function readChartFile(
  walk: Pick<Walk, 'top' | 'limits'> & Partial<Pick<Walk, 'allocate'>>,
  path: string,
  name: string,
): Promise<Uint8Array> {
  const most = walk.limits.fileBytes;
  const content = await readRegularFile(path, most, walk.allocate);
  if (content === 'irregular') throw irregular(walk, name);
  if (content !== 'too large') return content;
  throw new ChartError('too_large', `chart file ${quote(name)} is larger than the maximum file size ${most}`);
}

function irregular({ top }: Pick<Walk, 'top'>, name: string): ChartError {
  const problem = `cannot load irregular file ${join(top, name)} as it has file mode type bits set`;
  return new ChartError('chart_invalid', problem);
}

/** Returns the real path of an entry. */
async function resolveLink(walk: Walk, path: string, name: string): Promise<string> {
  const shown = join(walk.top, name);
  const real = await realpath(path).catch(async (cause: unknown) => {
    const failed = `error evaluating symlink ${shown}`;
    if (codeOf(cause) === 'ELOOP')
      throw new ChartError('chart_invalid', `${failed}: EvalSymlinks: too many links`, { cause });
    if (!isMissing(cause)) throw cause;
    const missing = await missingPart(path);
    if (!isBelow(walk.root, missing)) throw outsideRoot(name);
    throw new ChartError('chart_invalid', `${failed}: lstat ${missing}: no such file or directory`, { cause });
  });
  if (real !== path) {
    const message = 'found symbolic link in path. Contents of linked file included and used';
    walk.notice(message, { path: shown, resolved: real });
  }
  return real;
}

/**
 * Returns the part of a broken path up to the first missing element, with links resolved, as Go's
 * `filepath.EvalSymlinks` reports it.
 */
async function missingPart(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => undefined);
  if (folder === undefined) return missingPart(dirname(path));
  const entry = join(folder, basename(path));
  const target = await readlink(entry).catch(() => undefined);
  return target === undefined ? entry : missingPart(resolve(folder, target));
}

function outsideRoot(name: string): ChartError {
  return new ChartError(
    'chart_invalid',
    `the chart contains a symbolic link that leads out of its folder: ${quote(name)}`,
  );
}

async function takeFile(walk: Walk, path: string, name: string): Promise<void> {
  const { limits, files } = walk;
  const data = await readChartFile(walk, path, name);
  walk.bytes += data.length;
  if (walk.bytes > limits.chartBytes) {
    throw new ChartError('too_large', `the chart is larger than the maximum size ${limits.chartBytes}`);
  }
  const modified = walk.times ? (await stat(path)).mtime : undefined;
  files.push({ name, data: withoutByteOrderMark(data), ...(modified && { modified }) });
}
