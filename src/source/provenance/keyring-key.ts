import type { SecretKeyPacket, SignaturePacket } from 'openpgp';
import type { KeyPacket } from './read-packets.ts';

/** A user that a key belongs to, by a signature that the key has made of itself. */
export interface Identity {
  /** By convention `NAME (COMMENT) <EMAIL>`. */
  readonly name: string;
  /** The newest of the key's signatures; undefined if there are only revocations. */
  readonly selfSignature: SignaturePacket | undefined;
  readonly revocations: readonly SignaturePacket[];
}

export interface Subkey {
  readonly key: KeyPacket;
  /** The newest signature of the primary key that says that the subkey belongs to it. */
  readonly binding: SignaturePacket;
  readonly revocations: readonly SignaturePacket[];
}

/** A key of a keyring whose signatures of itself are valid. */
export interface KeyringKey {
  readonly primary: KeyPacket;
  /** The primary key if its secret part is in the keyring. */
  readonly secret: SecretKeyPacket | undefined;
  /** In the order of the keyring. */
  readonly identities: readonly Identity[];
  readonly subkeys: readonly Subkey[];
  readonly revocations: readonly SignaturePacket[];
}

/** Returns the fingerprint of a key as Helm prints it. */
export function fingerprintOf({ primary }: KeyringKey): string {
  return primary.getFingerprint().toUpperCase();
}

/**
 * Returns the identity whose signature says what the key is for (go-crypto: PrimaryIdentity): one
 * that is not revoked, is marked as primary, or has the newest signature.
 */
export function primaryIdentity({ identities }: KeyringKey): Identity | undefined {
  return identities.reduce<Identity | undefined>((best, next) => {
    return best === undefined || isPreferred(next, best) ? next : best;
  }, undefined);
}

function isPreferred(next: Identity, best: Identity): boolean {
  const revocations = best.revocations.length - next.revocations.length;
  if (revocations !== 0) return revocations > 0;
  if (best.selfSignature === undefined) return true;
  if (next.selfSignature === undefined) return false;
  const isPrimary = [next.selfSignature, best.selfSignature].map(({ isPrimaryUserID }) => isPrimaryUserID === true);
  if (isPrimary[0] !== isPrimary[1]) return isPrimary[0] === true;
  return isNewer(next.selfSignature, best.selfSignature);
}

/** Whether a signature is newer than another one, or there is no other. */
export function isNewer(signature: SignaturePacket, than: SignaturePacket | undefined): boolean {
  return than === undefined || secondsOf(signature.created) > secondsOf(than.created);
}

/** Returns a time in whole seconds, as OpenPGP counts them. */
export function secondsOf(time: Date | null): number {
  return Math.floor((time?.getTime() ?? 0) / 1000);
}
