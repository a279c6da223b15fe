import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import type { ChartContent } from '../chart/load/chart-content.ts';
import { createGrowingMemory } from '../chart/load/growing-memory.ts';
import { isBelow, readRegularFile } from '../chart/load/read-file.ts';
import type { ChartReader, ReadOptions } from './chart-reader.ts';
import { checkRequestedDigest } from './digest.ts';
import { maxProvenanceBytes } from './download-settings.ts';
import { SourceError } from './source-error.ts';
import type { FoundChart } from './verification/chart-verification.ts';
import { smallDownloadBytes, type WaitForTurn } from './wait-for-turn.ts';

export interface LocalCharts {
  /** Folder that contains the charts, at any depth. */
  readonly folder: string;
  readonly maxArchiveBytes: number;
  readonly reader: Pick<ChartReader, 'readArchive' | 'readFolder'>;
  readonly read?: ReadOptions | undefined;
  /**
   * Returns the chart with its signature, or throws. `found` reads the file with `.prov` at its end
   * beside the archive; a folder has neither. Default: it is not verified.
   */
  readonly verify?:
    ((content: ChartContent, archive: Uint8Array | undefined, found: FoundChart) => Promise<ChartContent>) | undefined;
  /** SHA-256 of the archive; a directory is refused with it. Default: it is not checked. */
  readonly digest?: string | undefined;
  /** Waits until the calling command may have large texts in memory. Default: it may at once. */
  readonly waitForTurn?: WaitForTurn | undefined;
}

/**
 * Loads a chart, a directory or an archive, from below the folder for local charts. Symbolic links
 * are followed if they do not lead out of the folder. Throws {@link SourceError}, `ChartError`, or
 * the signal's reason.
 */
export async function loadLocalChart(path: string, local: LocalCharts, signal: AbortSignal): Promise<ChartContent> {
  const root = await realpath(local.folder).catch((error: unknown) => {
    throw new SourceError('local_charts_disabled', `cannot read the folder of --local-charts: ${codeOf(error)}`);
  });
  const candidate = resolveInFolder(path, local.folder, root);
  try {
    return await loadFrom(candidate, root, path, local, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new SourceError(
      'chart_not_found',
      `cannot read a chart at ${JSON.stringify(path)} below the folder of --local-charts: ${codeOf(error)}${repositoryAdvice(path)}`,
    );
  }
}

/** A path such as `bitnami/nginx` may be meant as the name of a chart in a repository. */
function repositoryAdvice(path: string): string {
  const [, name] = /^[\w-]+\/([\w-]+)$/.exec(path) ?? [];
  if (name === undefined) return '';
  return `; repositories are not known by name, so for the chart ${name} of a repository give its URL, as with --repo URL ${name}`;
}

/** Resolves a path without following links, so that nothing outside of the folder is accessed. */
function resolveInFolder(path: string, folder: string, root: string): string {
  const candidate = resolve(root, path);
  const bases = isAbsolute(path) ? [resolve(folder), root] : [root];
  const leaves = path.split(/[/\\]/).includes('..') || !bases.some((base) => isBelow(base, candidate));
  if (leaves || path.includes('\0')) throw forbidden(path);
  return candidate;
}

async function loadFrom(
  candidate: string,
  root: string,
  path: string,
  { maxArchiveBytes, reader, read, digest, waitForTurn, verify = (content) => Promise.resolve(content) }: LocalCharts,
  signal: AbortSignal,
): Promise<ChartContent> {
  const real = await realpath(candidate);
  if (!isBelow(root, real)) throw forbidden(path);
  const status = await stat(real);
  const shown = JSON.stringify(path);
  if (status.isDirectory()) {
    if (digest === undefined) return verify(await reader.readFolder(real, root, signal, read), undefined, {});
    const problem = 'is a directory, and only the digest of an archive can be checked';
    throw new SourceError('unsupported', `${shown} ${problem}; name an archive, or give no digest`);
  }
  if (status.size > smallDownloadBytes) await waitForTurn?.(signal);
  const archive = await readRegularFile(real, maxArchiveBytes, createGrowingMemory(maxArchiveBytes + 1).take);
  if (archive === 'irregular') {
    throw new SourceError('chart_not_found', `${shown} is neither a directory nor a chart archive`);
  }
  if (archive === 'too large') {
    throw new SourceError('too_large', `the archive ${shown} is larger than the limit of ${maxArchiveBytes} bytes`);
  }
  signal.throwIfAborted();
  await checkRequestedDigest(archive, { chartName: path, digest });
  const content = await reader.readArchive(archive, signal, read);
  return await verify(content, archive, {
    fileName: basename(candidate),
    provenance: () => provenanceOf(candidate, root),
  });
}

/** Returns the provenance file beside an archive. Undefined if there is none below the folder. */
async function provenanceOf(candidate: string, root: string): Promise<Uint8Array | undefined> {
  const real = await realpath(`${candidate}.prov`).catch(() => undefined);
  if (real === undefined || !isBelow(root, real)) return undefined;
  const file = await readRegularFile(real, maxProvenanceBytes, createGrowingMemory(maxProvenanceBytes + 1).take);
  return typeof file === 'string' ? undefined : file;
}

function forbidden(path: string): SourceError {
  return new SourceError(
    'path_forbidden',
    `the path ${JSON.stringify(path)} leads out of the folder of --local-charts; give a path below it, without ".." and without links to the outside`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
