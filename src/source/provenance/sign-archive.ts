import type { SecretKeyPacket } from 'openpgp';
import { messageOf } from '../../errors/index.ts';
import { quote } from '../../go/strconv.ts';
import { armorSignature } from './armor.ts';
import { checksumText } from './checksums.ts';
import { signedPart, writeClearsigned } from './clearsigned-message.ts';
import type { Identity, KeyringKey } from './keyring-key.ts';
import { lenientConfig, loadOpenPgp, type OpenPgp, PgpError } from './openpgp.ts';
import { readKeyring } from './read-keyring.ts';

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

/**
 * Returns the key that has a name, or the only one whose name contains the text; undefined if there
 * is none (pkg/provenance/sign.go: NewFromKeyring). Throws an error with Helm's text if there are
 * several.
 */
function chooseKey(keys: readonly KeyringKey[], name: string): KeyringKey | undefined {
  const named = keys.flatMap((key) => key.identities.map((identity) => ({ key, name: identity.name })));
  const exact = named.find((each) => each.name === name);
  if (exact !== undefined) return exact.key;
  const similar = named.filter((each) => each.name.includes(name));
  if (similar.length > 1) throw new Error(`more than one key contain the id ${quote(name)}`);
  return similar[0]?.key;
}

/** Returns the secret part of a key. Throws an error with Helm's text if there is none. */
function requireSecret(key: KeyringKey | undefined): SecretKeyPacket {
  if (key === undefined) throw new Error('private key not found');
  if (key.secret !== undefined) return key.secret;
  throw new Error('provided key is not a private key. Try providing a keyring with secret keys');
}

/**
 * Decrypts a key with these identities if it is encrypted. `passphraseFor` gets the name of one of
 * them. Throws {@link PgpError} with Helm's text if the passphrase is wrong.
 */
async function unlockKey(
  secret: SecretKeyPacket,
  identities: readonly Identity[],
  passphraseFor: (name: string) => Promise<string>,
): Promise<void> {
  if (secret.isDecrypted() || secret.isDummy()) return;
  const name = identities.find((identity) => identity.name !== '')?.name ?? 'Unknown';
  await decryptKey(secret, await passphraseFor(name));
}

async function decryptKey(key: SecretKeyPacket, passphrase: string): Promise<void> {
  await key.decrypt(passphrase).catch((cause: unknown) => {
    const text = cause instanceof Error ? cause.message : '';
    // the library's own reasons are about keys that Helm would decrypt
    const isWrong = text.startsWith('Incorrect key passphrase');
    if (isWrong) throw new PgpError('structural', 'private key checksum failure');
    throw new PgpError('other', `openpgp: the key cannot be decrypted: ${text}`, { cause });
  });
}
