import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { messageOf } from '../../../errors/index.ts';
import { statError } from '../../../go/file-error.ts';
import { epochMilliseconds } from '../../../operation/clock.ts';
import { sha256, sha256OfFile } from '../../../source/digest.ts';
import { maxProvenanceBytes } from '../../../source/download-settings.ts';
import type { Verification } from '../../../source/provenance/verify-archive.ts';
import type { HelmContext } from '../context.ts';
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
  context: Pick<HelmContext, 'host'>,
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
  context: Pick<HelmContext, 'host'>,
): Promise<Verification> {
  requireArchiveName(fileName);
  const chart = { fileName, digest: () => sha256(archive), provenance: () => Promise.resolve(provenance), keyring };
  return verify(chart, context);
}

/** Returns what Helm prints about a verified chart. */
export function verificationText({ signedBy, fingerprint, fileHash }: Verification): string {
  const signers = signedBy.map((name) => `Signed by: ${name}\n`).join('');
  return `${signers}Using Key With Fingerprint: ${fingerprint}\nChart Hash Verified: ${fileHash}\n`;
}

async function verify({ keyring, ...chart }: ChartToVerify, { host }: Pick<HelmContext, 'host'>) {
  const { verifyArchive } = await import('../../../source/provenance/verify-archive.ts');
  const keys = await readKeyringFile(keyring).catch(cannot('load keyring'));
  return verifyArchive({ ...chart, keyring: keys }, new Date(epochMilliseconds(host)));
}

function requireArchiveName(path: string): void {
  if (extname(path).toLowerCase() !== '.tgz') throw new Error('chart must be a tgz file');
}

function cannot(action: string) {
  return (cause: unknown): never => {
    throw new Error(`failed to ${action}: ${messageOf(cause)}`, { cause });
  };
}
