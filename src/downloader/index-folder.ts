import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { loadArchive } from '../chart/load/load-archive.ts';
import { isMissing, messageOf } from '../errors/index.ts';
import { formatUrl, parseUrl } from '../functions/support/net-url.ts';
import { openError } from '../go/file-error.ts';
import type { Host } from '../go/host.ts';
import { quote } from '../go/strconv.ts';
import { compareStrings, fromBytes } from '../go/text.ts';
import { GoError } from '../go/value.ts';
import { replaceFile } from '../source/configuration/replace-file.ts';
import { type IndexDocumentEntry, indexJson, indexYaml, mergeEntries } from '../source/repository/index-document.ts';
import { readIndexDocument } from '../source/repository/read-index-document.ts';
import type { DownloadContext } from './context.ts';
import { goNow } from './go-now.ts';

interface IndexOptions {
  /** URL of the repository, or an empty text. */
  readonly url: string;
  /** Path of an index to merge, or an empty text. */
  readonly merge: string;
  readonly isJson: boolean;
}

/** Writes the index of a folder with archives of charts (pkg/cmd/repo_index.go: index). */
export async function indexFolder(
  folder: string,
  options: IndexOptions,
  host: Host,
  log: DownloadContext['log'],
): Promise<void> {
  const top = resolve(folder);
  const write = async (path: string, entries: readonly IndexDocumentEntry[]) => {
    const index = { generated: goNow(host), entries };
    await replaceFile(path, options.isJson ? indexJson(index) : indexYaml(index)).catch((error: unknown) => {
      throw openError(path, error);
    });
  };
  const entries: IndexDocumentEntry[] = [];
  for (const path of await archivesIn(top)) {
    const entry = await entryOf(path, urlBelow(options.url, dirname(path)), top, host);
    if (entry !== undefined) entries.push(entry);
  }
  const others = options.merge === '' ? [] : await entriesToMerge(options.merge, write, log);
  await write(join(top, 'index.yaml'), mergeEntries(entries, others));
}

/** Returns the paths of the archives in a folder and in those directly below it, relative to it. */
async function archivesIn(folder: string): Promise<string[]> {
  const own = await namesIn(folder);
  const below = await Promise.all(
    own.map(async (name) => (await namesIn(join(folder, name))).map((file) => `${name}/${file}`)),
  );
  return [...own, ...below.flat()].filter((path) => path.endsWith('.tgz'));
}

/** A folder that cannot be read is an empty one, as in Go's `filepath.Glob`. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.toSorted(compareStrings);
}

/** Returns undefined for a file that is not a chart. */
async function entryOf(path: string, url: string, top: string, host: Host): Promise<IndexDocumentEntry | undefined> {
  const archive = await readFile(join(top, path)).catch(() => undefined);
  const chart = archive && (await loadArchive(archive).catch(() => undefined));
  if (archive === undefined || chart === undefined) return undefined;
  const name = basename(path);
  return {
    metadata: chart.metadata,
    urls: [url === '' ? name : urlBelow(url, name)],
    created: goNow(host),
    digest: createHash('sha256').update(archive).digest('hex'),
  };
}

/** Joins a URL and a path below it (internal/urlutil: URLJoin). */
function urlBelow(url: string, path: string): string {
  const below = path === '.' ? '' : path;
  try {
    const parsed = parseUrl(url);
    return formatUrl({ ...parsed, path: joined(parsed.path, below) });
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    return joined(url, below);
  }
}

/** Go's `path.Join` of nothing is empty. */
function joined(...parts: readonly string[]): string {
  const path = posix.join(...parts);
  return path === '.' ? '' : path.replace(/(?<=.)\/$/, '');
}

async function entriesToMerge(
  path: string,
  write: (path: string, entries: readonly IndexDocumentEntry[]) => Promise<void>,
  log: DownloadContext['log'],
): Promise<IndexDocumentEntry[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (!isMissing(error)) throw new Error(`merge failed: ${openError(path, error).message}`, { cause: error });
  });
  if (bytes === undefined) {
    await write(path, []);
    return [];
  }
  try {
    return readIndexDocument(fromBytes(bytes), (chart, version, reason) => {
      const name = version === undefined ? quote(chart) : `${quote(chart)} ${quote(version)}`;
      log.warn(`skipping loading invalid entry for chart ${name} from ${path}: ${reason}`, {});
    });
  } catch (error) {
    throw new Error(`merge failed: error loading ${path}: ${messageOf(error)}`, { cause: error });
  }
}
