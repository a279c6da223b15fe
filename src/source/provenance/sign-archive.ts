import type { SecretKeyPacket } from 'openpgp';
import { messageOf } from '../../errors/index.ts';
import { armorSignature } from './armor.ts';
import { checksumText } from './checksums.ts';
import { signedPart, writeClearsigned } from './clearsigned-message.ts';
import { lenientConfig, loadOpenPgp, type OpenPgp } from './openpgp.ts';
import { PgpError } from './pgp-error.ts';
import { readKeyring } from './read-keyring.ts';
import { chooseKey, requireSecret, unlockKey } from './signing-key.ts';

export interface SigningKeyOptions {
  /** Secret keys in OpenPGP's binary form. */
  readonly keyring: Uint8Array;
  /** Name of the key, or a part of it. */
  readonly keyName: string;
  /**
   * Called when the keyring has been read. Returns a function that returns the passphrase of an
   * encrypted key by the key's name.
   */
  readonly openPassphrase: () => Promise<(name: string) => Promise<string>>;
}

/** An archive that is signed. */
export interface ArchiveToSign {
  readonly fileName: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** Metadata of the chart in YAML. */
  readonly metadata: string;
}

/**
 * Returns a function that makes the provenance files of archives with a key
 * (pkg/provenance/sign.go: ClearSign). Throws an error with Helm's text if there is no such key, or
 * if the passphrase is wrong.
 */
export async function createSigner({
  keyring,
  keyName,
  openPassphrase,
}: SigningKeyOptions): Promise<(archive: ArchiveToSign, now: Date) => Promise<string>> {
  const openpgp = await loadOpenPgp();
  const key = chooseKey(await readKeyring(keyring, openpgp), keyName);
  const passphraseFor = await openPassphrase();
  const secret = requireSecret(key);
  await unlockKey(secret, key?.identities ?? [], passphraseFor);
  return async ({ metadata, fileName, digest }, now) => {
    const text = checksumText(metadata, fileName, digest);
    const signature = await sign(Buffer.from(signedPart(text)), secret, now, openpgp).catch((cause: unknown) => {
      const reason = messageOf(cause);
      throw new Error(`failed to either sign or armor message block: ${reason}`, { cause });
    });
    return writeClearsigned(text, 'SHA512', armorSignature(signature));
  };
}

async function sign(data: Uint8Array, key: SecretKeyPacket, now: Date, openpgp: OpenPgp): Promise<Uint8Array> {
  if (key.isDummy()) throw new PgpError('other', 'openpgp: s2k GNU dummy key: dummy key found');
  await key.validate().catch((cause: unknown) => {
    throw new PgpError('other', 'openpgp: invalid key: invalid key parameters', { cause });
  });
  const signature = new openpgp.SignaturePacket();
  signature.signatureType = openpgp.enums.signature.text;
  signature.publicKeyAlgorithm = key.algorithm;
  signature.hashAlgorithm = openpgp.enums.hash.sha512;
  await signature.sign(key, { text: null, getBytes: () => data }, now, true, lenientConfig(openpgp));
  const packets = new openpgp.PacketList<typeof signature>();
  packets.push(signature);
  return packets.write();
}
