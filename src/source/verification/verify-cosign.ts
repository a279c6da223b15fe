import { messageOf } from '../../errors/index.ts';
import { matchesPattern } from '../../protocol/pattern.ts';
import type { ChartKey } from '../chart-request.ts';
import { type CosignSignature, keyOfSignature, maxSignatures, readSignatures, type StoredSignature } from './cosign.ts';
import type { KeylessSigner } from './keyless.ts';

/** The signatures of a manifest, and the keys that may have signed it. Plain data. */
export interface CosignTask {
  /** Digest of the manifest. */
  manifest: string;
  stored: readonly StoredSignature[];
  /** Keys with `publicKey` or `keyless`. */
  keys: readonly ChartKey[];
}

export interface CosignResult {
  /** The number of signatures that there are. */
  count: number;
  /** The first key that has signed. */
  signedBy?: { name: string; key: string; issuer?: string; identity?: string };
  /** Why the signatures do not count for the keys without a public key. Default: there are none. */
  problem?: string;
}

/** Verifies signatures of cosign with each of some keys. */
export async function verifyCosign({ manifest, stored, keys }: CosignTask): Promise<CosignResult> {
  const all = stored.flatMap(readSignatures).slice(0, maxSignatures);
  const count = all.length;
  const signatures = all.filter(({ digests }) => digests.includes(manifest));
  const problems = new Set<string>();
  if (count > 0 && signatures.length === 0) problems.add('they are for other manifests');
  const isNeeded = signatures.length > 0 && keys.some((key) => key.keyless !== undefined);
  const keyless = isNeeded ? await import('./keyless.ts') : undefined;
  const verifierOf = remembered((root: string) => keyless?.createKeylessVerifier(root));
  for (const signature of signatures) {
    const signerOf = remembered((root: string) => attempt(() => verifierOf(root)?.(signature)));
    for (const key of keys) {
      const found = keyOf(signature, key, signerOf);
      if (typeof found === 'object') return { count, signedBy: { name: key.name, ...found } };
      if (found !== undefined) problems.add(`for ${key.name}, ${found}`);
    }
  }
  return { count, ...(problems.size > 0 && { problem: [...problems].join('; ').slice(0, maxProblemLength) }) };
}

/** It quotes certificates, which are a stranger's. */
const maxProblemLength = 1000;

/** Returns the key that has signed, or why a signature without a key does not count. */
function keyOf(
  signature: CosignSignature,
  { publicKey, keyless }: ChartKey,
  signerOf: (trustedRoot: string) => KeylessSigner | string | undefined,
): { key: string } | string | undefined {
  if (publicKey !== undefined) {
    const key = keyOfSignature(signature, publicKey);
    return key === undefined ? undefined : { key };
  }
  const signer = keyless && signerOf(keyless.trustedRoot);
  if (keyless === undefined || typeof signer !== 'object') return signer;
  return signerProblem(signer, keyless) ?? signer;
}

/** Returns why a signer is not the one of a key. Undefined if it is. */
function signerProblem(
  signer: KeylessSigner,
  { issuer, identity }: NonNullable<ChartKey['keyless']>,
): string | undefined {
  if (signer.issuer !== issuer)
    return `the issuer in its certificate is ${quoted(signer.issuer)}, not ${quoted(issuer)}`;
  if (matchesPattern(identity, signer.identity)) return undefined;
  return `the identity in its certificate is ${quoted(signer.identity)}, not ${quoted(identity)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, maxQuoted));
}

const maxQuoted = 200;

function remembered<Result>(make: (root: string) => Result): (root: string) => Result {
  const results = new Map<string, { result: Result }>();
  return (root) => {
    const { result } = results.get(root) ?? { result: make(root) };
    results.set(root, { result });
    return result;
  };
}

/** Returns what a function returns, or why it does not. */
function attempt<Result>(run: () => Result): Result | string {
  try {
    return run();
  } catch (error) {
    return messageOf(error);
  }
}
