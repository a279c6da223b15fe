import { codeOf, messageOf } from '../../errors/index.ts';
import { dearmor } from '../provenance/armor.ts';
import { verifyArchive } from '../provenance/verify-archive.ts';

/** A provenance file, and the keys that may have signed it. Plain data. */
export interface ProvenanceTask {
  provenance: Uint8Array;
  /** OpenPGP keys in armor, or in base64. */
  keyrings: ReadonlyArray<{ name: string; keyring: string }>;
  /** Of the archive, without folders. */
  fileName: string;
  /** SHA-256 of the archive in hex. */
  digest: string;
  /** Milliseconds since 1970. */
  time: number;
}

/** The first key that has signed, or why none counts. */
export type ProvenanceResult =
  { signedBy: { name: string; fingerprint: string }; problem?: never } | { signedBy?: never; problem: string };

/** Verifies a provenance file with each of some keyrings, as helm does it. */
export async function verifyProvenance({
  provenance,
  keyrings,
  fileName,
  digest,
  time,
}: ProvenanceTask): Promise<ProvenanceResult> {
  const problems = new Set<string>();
  for (const { name, keyring } of keyrings) {
    try {
      const archive = { digest: () => Promise.resolve(digest), provenance: () => Promise.resolve(provenance) };
      const bytes = dearmor(keyring) ?? Buffer.from(keyring, 'base64');
      const { fingerprint } = await verifyArchive({ fileName, keyring: bytes, ...archive }, new Date(time));
      return { signedBy: { name, fingerprint } };
    } catch (error) {
      const isMissing = codeOf(error) === 'ERR_MODULE_NOT_FOUND';
      problems.add(isMissing ? 'the package openpgp is not installed beside the agent' : messageOf(error));
    }
  }
  return { problem: [...problems].join('; ').slice(0, maxProblemLength) };
}

/** It quotes the file, which is a stranger's. */
const maxProblemLength = 500;
