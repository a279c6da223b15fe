import type { SecretKeyPacket, SignaturePacket } from 'openpgp';
import { fromBytes } from '../../go/text.ts';
import { type Identity, isNewer, type KeyringKey, type Subkey } from './keyring-key.ts';
import { type OpenPgp, PgpError } from './openpgp.ts';
import { type KeyPacket, type PacketReader, signingAlgorithms } from './read-packets.ts';
import { type SignedData, verifyWithKey } from './verify-with-key.ts';

const signFlag = 0x02;

/**
 * Reads the next key of a keyring with its identities and subkeys, and verifies what it has signed
 * of itself (go-crypto: ReadEntity). Returns undefined after the last one. Throws {@link PgpError}
 * with Helm's text.
 */
export async function readKey(packets: PacketReader, openpgp: OpenPgp): Promise<KeyringKey | undefined> {
  const first = await packets.next();
  if (first === undefined) return undefined;
  if (first.kind !== 'key') {
    packets.unread(first);
    throw new PgpError('structural', 'first packet was not a public/private key');
  }
  const primary = first.key;
  if (!signingAlgorithms.includes(primary.algorithm)) {
    throw new PgpError('structural', 'primary key cannot be used for signatures');
  }
  requireKnownCurve(primary);
  const identities = new Map<string, Identity>();
  const subkeys: Subkey[] = [];
  const revocations: SignaturePacket[] = [];
  for (;;) {
    const packet = await packets.next();
    if (packet?.kind === 'user id') {
      const identity = await readIdentity(packet.id, primary, packets, openpgp);
      if (identity !== undefined) identities.set(identity.name, identity);
    } else if (packet?.kind === 'signature') {
      if (packet.signature.signatureType === openpgp.enums.signature.keyRevocation) revocations.push(packet.signature);
    } else if (packet?.kind === 'key' && packet.isSubkey) {
      subkeys.push(await readSubkey(packet.key, primary, packets, openpgp));
    } else if (packet?.kind !== 'other') {
      if (packet !== undefined) packets.unread(packet);
      break;
    }
  }
  if (identities.size === 0) throw new PgpError('structural', 'v4 entity without any identities');
  for (const revocation of revocations) await requireOwnRevocation(revocation, primary, openpgp);
  // the reader says which class it made
  const secret = first.isSecret ? (primary as SecretKeyPacket) : undefined;
  return { primary, secret, identities: [...identities.values()], subkeys, revocations };
}

/** On Node, the library needs a package for these curves that is not maintained. */
function requireKnownCurve(key: KeyPacket): void {
  const { curve = '' } = key.getAlgorithmInfo();
  const isSigning = signingAlgorithms.includes(key.algorithm);
  if (isSigning && /^(?:brainpool|secp256k1)/.test(curve))
    throw new PgpError('unsupported', `key of the curve ${curve}`);
}

/** Returns undefined if the key has not signed that the identity is its own. */
async function readIdentity(
  id: Uint8Array,
  primary: KeyPacket,
  packets: PacketReader,
  openpgp: OpenPgp,
): Promise<Identity | undefined> {
  let selfSignature: SignaturePacket | undefined;
  let isOwn = false;
  const types = openpgp.enums.signature;
  const certifications = [types.certGeneric, types.certPersona, types.certCasual, types.certPositive];
  const revocations: SignaturePacket[] = [];
  for await (const signature of signaturesIn(packets)) {
    const { signatureType } = signature;
    const isRevocation = signatureType === types.certRevocation;
    if (!isRevocation && !certifications.some((type) => type === signatureType)) {
      throw new PgpError('structural', 'user ID signature with wrong type');
    }
    if (!isMadeBy(signature, primary)) continue;
    const data = { key: primary, userID: { write: () => id } };
    await verifySelf(signature, primary, data, 'user ID self-signature invalid', openpgp);
    isOwn = true;
    if (isRevocation) revocations.push(signature);
    else if (isNewer(signature, selfSignature)) selfSignature = signature;
  }
  return isOwn ? { name: fromBytes(id), selfSignature, revocations } : undefined;
}

function isMadeBy({ issuerFingerprint, issuerKeyID }: SignaturePacket, key: KeyPacket): boolean {
  const fingerprint = key.getFingerprintBytes();
  if (issuerFingerprint !== null && fingerprint !== null) return Buffer.compare(issuerFingerprint, fingerprint) === 0;
  return issuerKeyID.equals(key.getKeyID());
}

async function readSubkey(
  key: KeyPacket,
  primary: KeyPacket,
  packets: PacketReader,
  openpgp: OpenPgp,
): Promise<Subkey> {
  requireKnownCurve(key);
  let binding: SignaturePacket | undefined;
  const revocations: SignaturePacket[] = [];
  const data = { key: primary, bind: key };
  for await (const signature of signaturesIn(packets)) {
    const { signatureType } = signature;
    const isRevocation = signatureType === openpgp.enums.signature.subkeyRevocation;
    if (!isRevocation && signatureType !== openpgp.enums.signature.subkeyBinding) {
      throw new PgpError('structural', 'subkey signature with wrong type');
    }
    await verifySelf(signature, primary, data, 'subkey signature invalid', openpgp);
    if (maySign(signature)) await requireCrossSignature(signature, key, data, openpgp);
    if (isRevocation) revocations.push(signature);
    else if (isNewer(signature, binding)) binding = signature;
  }
  if (binding === undefined) throw new PgpError('structural', 'subkey packet not followed by signature');
  return { key, binding, revocations };
}

/** Whether a key's signature of itself says that it may sign messages. */
export function maySign({ keyFlags }: SignaturePacket): boolean {
  return keyFlags !== null && ((keyFlags[0] ?? 0) & signFlag) !== 0;
}

/** A subkey that signs must have signed that it belongs to the primary key. */
async function requireCrossSignature(
  { embeddedSignature }: SignaturePacket,
  key: KeyPacket,
  data: SignedData,
  openpgp: OpenPgp,
): Promise<void> {
  const problem = 'subkey signature invalid: openpgp: invalid data: ';
  if (embeddedSignature === null) {
    throw new PgpError('structural', `${problem}signing subkey is missing cross-signature`);
  }
  const { signatureType } = embeddedSignature;
  if (signatureType !== openpgp.enums.signature.keyBinding) {
    throw new PgpError('structural', `cross-signature has unexpected type ${signatureType}`);
  }
  await verifySelf(embeddedSignature, key, data, `${problem}error while verifying cross-signature`, openpgp);
}

async function requireOwnRevocation(revocation: SignaturePacket, primary: KeyPacket, openpgp: OpenPgp): Promise<void> {
  await verifyWithKey(revocation, primary, { key: primary }, openpgp).catch((cause: unknown) => {
    throw new PgpError('structural', 'revocation signature signed by alternate key', { cause });
  });
}

async function verifySelf(
  signature: SignaturePacket,
  key: KeyPacket,
  data: SignedData,
  problem: string,
  openpgp: OpenPgp,
): Promise<void> {
  await verifyWithKey(signature, key, data, openpgp).catch((cause: unknown) => {
    if (!(cause instanceof PgpError)) throw cause;
    throw new PgpError('structural', `${problem}: ${cause.message}`, { cause });
  });
}

/** Yields signatures up to the next packet of another kind, which is not taken. */
async function* signaturesIn(packets: PacketReader): AsyncGenerator<SignaturePacket, void> {
  for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
    if (packet.kind !== 'signature') {
      packets.unread(packet);
      return;
    }
    yield packet.signature;
  }
}
