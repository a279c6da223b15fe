import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { messageOf } from '../errors/index.ts';
import { statError } from '../go/file-error.ts';
import { currentDate } from '../go/host.ts';
import { sha256, sha256OfFile } from '../source/digest.ts';
import { maxProvenanceBytes } from '../source/download-settings.ts';
import type { Verification } from '../source/provenance/verify-archive.ts';
import type { DownloadContext } from './context.ts';
import type { VerificationStrategy } from './context.ts';
import type { DownloadedChart } from './download-chart.ts';
import { readKeyringFile, readLimited } from './read-limited.ts';

/** An archive, and what it is verified with. */
interface ChartToVerify {
  readonly fileName: string;
  readonly digest: () => Promise<string>;
  readonly provenance: () => Promise<Uint8Array>;
  /** Path of a file with public keys. */
  readonly keyring: string;
}

/**
 * Verifies the archive at a path by the provenance file beside it
 * (pkg/downloader/chart_downloader.go: VerifyChart). Throws an error with Helm's text.
 * @param archive content of the archive if it has been read
 */
export async function verifyChartFile(
  path: string,
  keyring: string,
  context: Pick<DownloadContext, 'host'>,
  archive?: Uint8Array,
): Promise<Verification> {
  const facts = await stat(path).catch((error: unknown) => {
    throw statError(path, error);
  });
  if (facts.isDirectory()) throw new Error('unpacked charts cannot be verified');
  requireArchiveName(path);
  const file = `${path}.prov`;
  await stat(file).catch((error: unknown) => {
    const reason = statError(file, error).message;
    throw new Error(`could not load provenance file ${file}: ${reason}`, { cause: error });
  });
  const digest = () => (archive === undefined ? sha256OfFile(path) : sha256(archive));
  const provenance = () => readLimited(file, maxProvenanceBytes).catch(cannot('read provenance file'));
  return verify({ fileName: basename(path), digest, provenance, keyring }, context);
}

/** Verifies an archive that was downloaded. Throws an error with Helm's text. */
export async function verifyDownloaded(
  { fileName, archive }: { fileName: string; archive: Uint8Array },
  provenance: Uint8Array,
  keyring: string,
  context: Pick<DownloadContext, 'host'>,
): Promise<Verification> {
  requireArchiveName(fileName);
  const chart = { fileName, digest: () => sha256(archive), provenance: () => Promise.resolve(provenance), keyring };
  return verify(chart, context);
}

async function verify({ keyring, ...chart }: ChartToVerify, { host }: Pick<DownloadContext, 'host'>) {
  const { verifyArchive } = await import('../source/provenance/verify-archive.ts');
  const keys = await readKeyringFile(keyring).catch(cannot('load keyring'));
  return verifyArchive({ ...chart, keyring: keys }, currentDate(host));
}

function requireArchiveName(path: string): void {
  if (extname(path).toLowerCase() !== '.tgz') throw new Error('chart must be a tgz file');
}

function cannot(action: string) {
  return (cause: unknown): never => {
    throw new Error(`failed to ${action}: ${messageOf(cause)}`, { cause });
  };
}

/**
 * Downloads the signature of a chart (pkg/downloader/chart_downloader.go: DownloadTo). Returns
 * undefined if there is none and there need not be one; `warn` receives Helm's line about it.
 * Throws an error with Helm's text.
 */
export async function fetchProvenance(
  { provenance, provenanceUrl, reference }: Pick<DownloadedChart, 'provenance' | 'provenanceUrl' | 'reference'>,
  strategy: VerificationStrategy,
  warn: (line: string) => void,
): Promise<Uint8Array | undefined> {
  if (strategy === 'never') return undefined;
  try {
    return await provenance();
  } catch (cause) {
    if (strategy === 'always') throw new Error(`failed to fetch provenance "${provenanceUrl}"`, { cause });
    warn(`WARNING: Verification not found for ${reference}: ${messageOf(cause)}\n`);
    return undefined;
  }
}
