import { messageOf } from '../../errors/index.ts';
import { checkSignature } from './check-signature.ts';
import { checkChecksum } from './checksums.ts';
import { parseClearsigned } from './clearsigned-message.ts';
import { fingerprintOf } from './keyring-key.ts';
import { loadOpenPgp } from './openpgp.ts';
import { readKeyring } from './read-keyring.ts';

/** Who has signed an archive, in Helm's words. */
export interface Verification {
  /** Names of the identities of the key. */
  readonly signedBy: readonly string[];
  /** Of the primary key, in hex. */
  readonly fingerprint: string;
  /** `sha256:` and the digest of the archive in hex. */
  readonly fileHash: string;
}

/** An archive that is verified, and what it is verified with. */
export interface SignedArchive {
  readonly fileName: string;
  /** Returns the SHA-256 of the archive in hex. */
  readonly digest: () => Promise<string>;
  /** Returns the content of its provenance file. Called when the keyring has been read. */
  readonly provenance: () => Promise<Uint8Array>;
  /** Public keys in OpenPGP's binary form. */
  readonly keyring: Uint8Array;
}

/**
 * Verifies that a key of the keyring has signed the digest of an archive under the name of its file
 * (pkg/provenance/sign.go: Verify). Throws an error with Helm's text if it has not.
 */
export async function verifyArchive(
  { fileName, digest, provenance, keyring }: SignedArchive,
  now: Date,
): Promise<Verification> {
  const openpgp = await loadOpenPgp();
  const keys = await readKeyring(keyring, openpgp).catch((cause: unknown) => {
    throw new Error(`failed to load keyring: ${messageOf(cause)}`, { cause });
  });
  const message = parseClearsigned(await provenance());
  if (message === undefined) throw new Error('signature block not found');
  const key = await checkSignature(message.signed, message.signature, keys, now, openpgp);
  const fileHash = checkChecksum(message.text, fileName, await digest());
  return { signedBy: key.identities.map(({ name }) => name), fingerprint: fingerprintOf(key), fileHash };
}
