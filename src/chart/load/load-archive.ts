import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { messageOf } from '../../errors/index.ts';
import { quote } from '../../go/strconv.ts';
import type { Chart, ChartFile } from '../chart.ts';
import { ChartError } from '../chart-error.ts';
import { type ChartLimits, defaultChartLimits, type LoadedTotals } from '../limits.ts';
import type { Notice } from './chart-content.ts';
import { type LoadContext, loadFiles } from './load-files.ts';
import type { Allocate } from './read-file.ts';

/** Contents smaller than this (10 MiB) are exempt from the compression ratio limit. */
const minSizeForRatio = 10 * 1024 * 1024;
/** Bytes to unpack at a time. Each time costs a change of threads. */
const unpackedChunk = 128 * 1024;
/** Maximum tar overhead per entry: headers and padding. */
const entryOverhead = 8 * 1024;

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

interface LoadOptions {
  limits?: ChartLimits;
  signal?: AbortSignal;
  /** Memory for the files of an archive. Default: memory of their own. */
  allocate?: Allocate | undefined;
  /** Called with Helm's notices about files that are no longer used. Default: ignored. */
  notice?: Notice;
  /** Whether to keep when each file was changed last. Default: false. */
  times?: boolean;
}

/**
 * Loads a chart from a .tgz. Throws {@link ChartError}: `chart_invalid` with Helm's text if Helm
 * has one, `too_large` if a limit is exceeded.
 */
export async function loadArchive(archive: Uint8Array, options: LoadOptions = {}): Promise<Chart> {
  const { limits = defaultChartLimits } = options;
  const loaded: LoadedTotals = { bytes: 0, entries: 0, charts: 0 };
  const files = await readArchive(archive, { ...options, limits, loaded });
  return loadFiles(files, contextOf(options, loaded));
}

/**
 * Returns the files of a .tgz, relative to its top folder. Throws {@link ChartError} as {@link
 * loadArchive} does.
 */
export async function readArchiveFiles(archive: Uint8Array, options: LoadOptions = {}): Promise<ChartFile[]> {
  const { limits = defaultChartLimits } = options;
  return readArchive(archive, { ...options, limits, loaded: { bytes: 0, entries: 0, charts: 0 } });
}

/** Loads a chart from its files. The archives in its charts/ folder count towards the limits. */
export async function loadUnpacked(files: readonly ChartFile[], options: LoadOptions = {}): Promise<Chart> {
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
  return loadFiles(files, contextOf(options, { bytes, entries: files.length, charts: 0 }));
}

function contextOf(options: LoadOptions, loaded: LoadedTotals): LoadContext {
  const { limits = defaultChartLimits, signal, notice = () => undefined, times } = options;
  return { limits, loaded, notice, readArchive: (archive) => readArchive(archive, { limits, loaded, signal, times }) };
}

interface Unpacking {
  limits: ChartLimits;
  loaded: LoadedTotals;
  signal?: AbortSignal | undefined;
  allocate?: Allocate | undefined;
  times?: boolean | undefined;
}

async function readArchive(archive: Uint8Array, unpacking: Unpacking): Promise<ChartFile[]> {
  const { limits, signal } = unpacking;
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) {
    throw new ChartError('chart_invalid', 'the chart does not appear to be a gzipped archive');
  }
  const tar = extract();
  const piping = pipeline(
    Readable.from([archive]),
    createGunzip({ chunkSize: unpackedChunk }),
    (chunks: AsyncIterable<Uint8Array>) => limitSize(chunks, archive.length, limits),
    tar,
    { signal },
  );
  // a failure also ends the entries, and is reported there
  piping.catch(() => undefined);
  const files: ChartFile[] = [];
  try {
    for await (const entry of tar) {
      const file = await readEntry(entry, unpacking);
      if (file !== undefined) files.push(file);
    }
    await piping;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ChartError) throw error;
    const reason = messageOf(error);
    throw new ChartError('chart_invalid', `the chart archive is corrupt: ${reason}`, { cause: error });
  }
  if (files.length === 0) throw new ChartError('chart_invalid', 'no files in chart archive');
  return files;
}

/** Passes chunks on until the size limit of a chart is exceeded. */
async function* limitSize(
  chunks: AsyncIterable<Uint8Array>,
  packed: number,
  limits: ChartLimits,
): AsyncGenerator<Uint8Array> {
  const maxSize = limits.chartBytes + limits.entries * entryOverhead;
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxSize) throw chartTooLarge(limits);
    if (size > minSizeForRatio && size > packed * limits.compressionRatio) {
      throw new ChartError(
        'too_large',
        `the chart archive unpacks to more than ${limits.compressionRatio} times its size`,
      );
    }
    yield chunk;
  }
}

function chartTooLarge(limits: ChartLimits): ChartError {
  return new ChartError('too_large', `decompressed chart is larger than the maximum size ${limits.chartBytes}`);
}

async function readEntry(
  entry: Entry,
  { limits, loaded, allocate = (bytes) => new Uint8Array(bytes), times }: Unpacking,
): Promise<ChartFile | undefined> {
  const { name, type, size, mtime } = entry.header;
  loaded.entries++;
  if (loaded.entries > limits.entries)
    throw new ChartError('too_large', `the chart has more than ${limits.entries} files`);
  if (type === 'directory' || name.endsWith('/')) {
    entry.resume();
    return undefined;
  }
  const path = archivePath(name);
  if (type === 'symlink' || type === 'link') {
    throw new ChartError('chart_invalid', `the chart archive contains a link, which is not allowed: ${quote(name)}`);
  }
  if (loaded.bytes + size >= limits.chartBytes) throw chartTooLarge(limits);
  if (size > limits.fileBytes) {
    throw new ChartError(
      'too_large',
      `decompressed chart file ${quote(name)} is larger than the maximum file size ${limits.fileBytes}`,
    );
  }
  loaded.bytes += size;
  const data = allocate(size);
  let end = 0;
  for await (const chunk of entry as AsyncIterable<Uint8Array>) {
    data.set(chunk, end);
    end += chunk.length;
  }
  return { name: path, data: withoutByteOrderMark(data), ...(times && { modified: mtime }) };
}

/**
 * Returns an archive entry's path relative to the chart's folder, which is its first part. Throws
 * {@link ChartError} with Helm's texts if the path leads outside
 * (pkg/chart/loader/archive/archive.go: LoadArchiveFiles).
 */
function archivePath(entry: string): string {
  // archives made on Windows have backslashes
  const parts = entry.split(entry.includes('\\') ? '\\' : '/');
  const path = parts.slice(1).join('/');
  if (path.startsWith('/')) throw invalid('chart illegally contains absolute paths');
  const name = posix.normalize(path).replace(/(?<=.)\/$/, '');
  if (name === '.') throw invalid(`chart illegally contains content outside the base directory: ${quote(entry)}`);
  if (name.startsWith('..')) throw invalid('chart illegally references parent directory');
  if (/^[a-zA-Z]:\//.test(name)) throw invalid('chart contains illegally named files');
  if (parts[0] === 'Chart.yaml') throw invalid('chart yaml not in base directory');
  return name;
}

function invalid(text: string): ChartError {
  return new ChartError('chart_invalid', text);
}

/** Strips the UTF-8 byte order mark. */
export function withoutByteOrderMark(data: Uint8Array): Uint8Array {
  return data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data;
}
