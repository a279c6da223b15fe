import type { KeyringKey } from './keyring-key.ts';
import { type OpenPgp, PgpError, type PgpErrorKind } from './openpgp.ts';
import { readKey } from './read-key.ts';
import { createPacketReader, type PacketReader } from './read-packets.ts';

/**
 * Reads the keys of a keyring in OpenPGP's binary form (go-crypto: ReadKeyRing). Malformed and
 * unsupported keys are skipped. Throws {@link PgpError} with Helm's text if no key is left, and for
 * data that is not OpenPGP, such as a keyring in text form or one of GnuPG 2.1 and newer.
 */
export async function readKeyring(data: Uint8Array, openpgp: OpenPgp): Promise<KeyringKey[]> {
  const packets = createPacketReader(data, openpgp);
  const keys: KeyringKey[] = [];
  let skipped: PgpError | undefined;
  for (;;) {
    try {
      const key = await readKey(packets, openpgp);
      if (key === undefined) break;
      keys.push(key);
    } catch (error) {
      if (!(error instanceof PgpError) || error.kind === 'other') throw error;
      skipped = error;
      await skipToKey(packets, error.kind);
    }
  }
  if (keys.length === 0 && skipped !== undefined) throw skipped;
  return keys;
}

/** After a malformed key, Helm continues with the next public one, even among secret keys. */
async function skipToKey(packets: PacketReader, problem: PgpErrorKind): Promise<void> {
  for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
    if (packet.kind !== 'key' || packet.isSubkey || (packet.isSecret && problem === 'structural')) continue;
    packets.unread(packet);
    return;
  }
}
