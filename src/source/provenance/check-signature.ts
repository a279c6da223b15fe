import type { SignaturePacket } from 'openpgp';
import { type KeyringKey, primaryIdentity, secondsOf, type Subkey } from './keyring-key.ts';
import { type OpenPgp, PgpError } from './openpgp.ts';
import { maySign } from './read-key.ts';
import { createPacketReader, type KeyPacket } from './read-packets.ts';
import { verifyWithKey } from './verify-with-key.ts';

const unknownSigner = 'openpgp: signature made by unknown entity';

interface Candidate {
  readonly owner: KeyringKey;
  readonly key: KeyPacket;
  /** Undefined for the primary key. */
  readonly subkey: Subkey | undefined;
}

/**
 * Verifies a signature of data by a key of a keyring, and that the key is valid now (go-crypto:
 * CheckDetachedSignature). Returns the key. Throws {@link PgpError} with Helm's text.
 */
export async function checkSignature(
  signed: Uint8Array,
  signatures: Uint8Array,
  keyring: readonly KeyringKey[],
  now: Date,
  openpgp: OpenPgp,
): Promise<KeyringKey> {
  const { signature, candidates } = await findSigners(signatures, keyring, openpgp);
  const { binary, text } = openpgp.enums.signature;
  if (signature.signatureType !== binary && signature.signatureType !== text) {
    throw new PgpError('unsupported', `unsupported signature type: ${signature.signatureType}`);
  }
  const data = { text: null, getBytes: () => signed } as const;
  let failure: unknown;
  for (const candidate of candidates) {
    try {
      await verifyWithKey(signature, candidate.key, data, openpgp);
    } catch (error) {
      failure = error;
      continue;
    }
    requireValid(signature, candidate, secondsOf(now), openpgp);
    return candidate.owner;
  }
  throw failure;
}

/** Finds the first signature that was made with a key of the keyring that may sign. */
async function findSigners(data: Uint8Array, keyring: readonly KeyringKey[], openpgp: OpenPgp) {
  const packets = createPacketReader(data, openpgp);
  for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
    if (packet.kind !== 'signature') throw new PgpError('structural', 'non signature packet found');
    const { signature } = packet;
    if (signature.issuerKeyID.toHex() === '') throw new PgpError('structural', "signature doesn't have an issuer");
    const candidates = keyring.flatMap(candidatesOf).filter(({ key }) => key.getKeyID().equals(signature.issuerKeyID));
    if (candidates.length > 0) return { signature, candidates };
  }
  throw new PgpError('other', unknownSigner);
}

/** Returns the keys that may sign by what the key says of itself. */
function candidatesOf(owner: KeyringKey): Candidate[] {
  const own = primaryIdentity(owner)?.selfSignature;
  const subkeys = owner.subkeys.map((subkey) => ({ owner, key: subkey.key, subkey }));
  return [
    ...(own !== undefined && maySign(own) ? [{ owner, key: owner.primary, subkey: undefined }] : []),
    ...subkeys.filter(({ subkey }) => maySign(subkey.binding)),
  ];
}

/** Throws {@link PgpError} if the signature or its key is revoked or expired. */
function requireValid(
  signature: SignaturePacket,
  { owner, key, subkey }: Candidate,
  now: number,
  { enums }: OpenPgp,
): void {
  const identity = primaryIdentity(owner);
  const own = identity?.selfSignature;
  if (own === undefined) throw new PgpError('other', unknownSigner);
  const bindings = subkey === undefined ? [] : [subkey.binding, subkey.binding.embeddedSignature];
  const all = [signature, own, ...bindings].filter((each) => each !== null);
  const notation = all.flatMap(({ rawNotations }) => rawNotations).find(({ critical }) => critical);
  if (notation !== undefined) {
    throw new PgpError('other', `openpgp: invalid signature: unknown critical notation: ${notation.name}`);
  }
  const revocations = [...owner.revocations, ...(subkey?.revocations ?? []), ...(identity?.revocations ?? [])];
  const { keyCompromised } = enums.reasonForRevocation; // such a key was never valid
  const isRevoked = revocations.some((revocation) => {
    return revocation.reasonForRevocationFlag === keyCompromised || !isSignatureExpired(revocation, now);
  });
  if (isRevoked) {
    throw new PgpError('other', 'openpgp: signature made by revoked key');
  }
  const isExpired =
    isKeyExpired(owner.primary, own, now) || (subkey !== undefined && isKeyExpired(key, subkey.binding, now));
  if (isExpired) throw new PgpError('other', 'openpgp: key expired');
  if (all.some((each) => isSignatureExpired(each, now))) throw new PgpError('other', 'openpgp: signature expired');
}

/** Also true for what is from the future. */
function isSignatureExpired({ created, signatureExpirationTime }: SignaturePacket, now: number): boolean {
  return isOutside(secondsOf(created), signatureExpirationTime, now);
}

function isKeyExpired({ created }: KeyPacket, { keyExpirationTime }: SignaturePacket, now: number): boolean {
  return isOutside(secondsOf(created), keyExpirationTime, now);
}

function isOutside(created: number, lifetime: number | null, now: number): boolean {
  return created > now || (Boolean(lifetime) && now > created + (lifetime ?? 0));
}
