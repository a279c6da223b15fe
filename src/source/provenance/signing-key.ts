import type { SecretKeyPacket } from 'openpgp';
import { quote } from '../../go/strconv.ts';
import type { Identity, KeyringKey } from './keyring-key.ts';
import { PgpError } from './pgp-error.ts';

/**
 * Returns the key that has a name, or the only one whose name contains the text; undefined if there
 * is none (pkg/provenance/sign.go: NewFromKeyring). Throws an error with Helm's text if there are
 * several.
 */
export function chooseKey(keys: readonly KeyringKey[], name: string): KeyringKey | undefined {
  const named = keys.flatMap((key) => key.identities.map((identity) => ({ key, name: identity.name })));
  const exact = named.find((each) => each.name === name);
  if (exact !== undefined) return exact.key;
  const similar = named.filter((each) => each.name.includes(name));
  if (similar.length > 1) throw new Error(`more than one key contain the id ${quote(name)}`);
  return similar[0]?.key;
}

/** Returns the secret part of a key. Throws an error with Helm's text if there is none. */
export function requireSecret(key: KeyringKey | undefined): SecretKeyPacket {
  if (key === undefined) throw new Error('private key not found');
  if (key.secret !== undefined) return key.secret;
  throw new Error('provided key is not a private key. Try providing a keyring with secret keys');
}

/**
 * Decrypts a key with these identities if it is encrypted. `passphraseFor` gets the name of one of
 * them. Throws {@link PgpError} with Helm's text if the passphrase is wrong.
 */
export async function unlockKey(
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
