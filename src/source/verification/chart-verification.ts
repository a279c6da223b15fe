import type { ChartContent, ChartSignature } from '../../chart/load/chart-content.ts';
import type { ChartReader } from '../chart-reader.ts';
import type { ChartKey, ChartVerification } from '../chart-request.ts';
import { digitsOf, sha256 } from '../digest.ts';
import { SourceError } from '../source-error.ts';
import type { StoredSignature } from './cosign.ts';

/** A chart that was found, and its signatures. */
export interface FoundChart {
  /** The name and the version that were asked for. Default: the chart has any. */
  name?: string | undefined;
  version?: string | undefined;
  /** Name of the file, as the URL says it. Default: the one that `helm package` gives. */
  fileName?: string | undefined;
  /** Returns the provenance file. Default: there cannot be one. */
  provenance?: (() => Promise<Uint8Array | undefined>) | undefined;
  /** A chart in a registry. */
  registry?: {
    /** Digest of the manifest, which cosign signs, and of the layer with the archive. */
    manifest: string;
    layer: string;
    signatures: () => Promise<StoredSignature[]>;
  };
}

export interface VerificationTools {
  reader: Pick<ChartReader, 'verifyCosign' | 'verifyProvenance'>;
  /** The time at which OpenPGP keys and signatures have to be valid. */
  now: () => Date;
}

/**
 * Returns who has signed a chart. Undefined if it has no signature and needs none. Throws
 * {@link SourceError} `chart_not_verified` with what was found, and what to do.
 *
 * @param content that was loaded from the archive
 * @param archive undefined for a folder
 */
export async function verifyChart(
  content: Pick<ChartContent, 'name' | 'version'>,
  archive: Uint8Array | undefined,
  found: FoundChart,
  { mode, keys }: ChartVerification,
  tools: VerificationTools,
  signal: AbortSignal,
): Promise<ChartSignature | undefined> {
  const fail = (problem: string, advice: string) =>
    new SourceError('chart_not_verified', `the chart ${content.name} ${content.version} ${problem}; ${advice}`);
  if (keys.length === 0) {
    const advice = 'let the owner of the cluster add chartKeys to the policy of the agent, or do not ask for it';
    throw fail('cannot be verified, because the agent knows no keys of charts', advice);
  }
  const names = keys.map(({ name }) => name).join(', ');
  const advice = `have it signed by one of the keys that count (${names})`;
  if (archive === undefined) {
    if (mode === 'if-present') return undefined;
    throw fail('is a folder, which cannot be signed', 'use an archive with a signature');
  }
  const digest = await sha256(archive);
  const results = [
    await verifyByCosign(digest, found, { keys, signal, ...tools }),
    await verifyByProvenance({ digest, fileName: found.fileName ?? `${content.name}-${content.version}.tgz` }, found, {
      ...{ keys, signal },
      ...tools,
    }),
  ];
  const valid = results.find((result) => typeof result === 'object');
  const problems = results.filter((result) => typeof result === 'string');
  if (valid === undefined) {
    if (problems.length > 0) throw fail(`has no valid signature: ${problems.join('; ')}`, advice);
    if (mode === 'if-present') return undefined;
    throw fail('has no signature', advice);
  }
  // a valid signature of another chart, or of an older version, would be put in its place
  const isOther = found.name !== undefined && found.name !== content.name;
  if (isOther || (found.version !== undefined && versionText(found.version) !== versionText(content.version))) {
    const asked = [found.name, found.version].filter((text) => text !== undefined).join(' ');
    throw fail(
      `is signed by ${valid.by}, but ${asked} was asked for`,
      'compare the repository with its index and tags',
    );
  }
  return valid;
}

/** Without what repositories and tags add to a version. */
function versionText(version: string): string {
  return version.replace(/^v/, '').replaceAll('_', '+');
}

type KnownKeys = VerificationTools & { keys: readonly ChartKey[]; signal: AbortSignal };

/** Returns who has signed. A text says why a signature does not count; undefined: there is none. */
async function verifyByCosign(
  digest: string,
  { registry }: FoundChart,
  { keys: all, reader, signal }: KnownKeys,
): Promise<ChartSignature | string | undefined> {
  const keys = all.filter(({ publicKey, keyless }) => publicKey !== undefined || keyless !== undefined);
  if (registry === undefined || keys.length === 0) return undefined;
  const { manifest, layer } = registry;
  if (digitsOf(layer) !== digest) return 'the archive is not the one that the manifest names';
  const stored = await registry.signatures();
  if (stored.length === 0) return undefined;
  const { count, signedBy, problem } = await reader.verifyCosign({ manifest, stored, keys }, signal);
  if (count === 0) return undefined;
  if (signedBy !== undefined) {
    const { name, ...signer } = signedBy;
    return { by: name, scheme: 'cosign', ...signer, digest: manifest };
  }
  const reasons = problem === undefined ? '' : `: ${problem}`;
  return `none of its ${count} signatures by cosign is one of these keys for ${manifest}${reasons}`;
}

async function verifyByProvenance(
  archive: { digest: string; fileName: string },
  { provenance: download }: FoundChart,
  { keys, reader, now, signal }: KnownKeys,
): Promise<ChartSignature | string | undefined> {
  const keyrings = keys.flatMap(({ name, keyring }) => (keyring === undefined ? [] : [{ name, keyring }]));
  if (keyrings.length === 0) return undefined;
  const provenance = await download?.();
  if (provenance === undefined) return undefined;
  const task = { ...archive, provenance, keyrings, time: now().getTime() };
  const { signedBy, problem } = await reader.verifyProvenance(task, signal);
  if (signedBy === undefined) return `its provenance file: ${problem}`;
  return { by: signedBy.name, scheme: 'provenance', key: signedBy.fingerprint, digest: `sha256:${archive.digest}` };
}

/** Returns what a function downloads. Undefined if a server does not have it, or hides it. */
export async function ifPresent<Content>(download: () => Promise<Content>): Promise<Content | undefined> {
  try {
    return await download();
  } catch (error) {
    // some servers refuse what they do not have
    const isMissing =
      error instanceof SourceError && /^4\d\d/.test(error.status ?? '') && !error.status?.startsWith('429');
    if (isMissing) return undefined;
    throw error;
  }
}
