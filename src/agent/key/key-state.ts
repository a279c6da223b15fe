import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import * as z from 'zod';
import { type Challenge, type Proof, proofText } from '../../protocol/proof.ts';

const keyPairSchema = z.object({
  /** The private and the public key in base64url, as a JSON Web Key names them (RFC 8037). */
  d: z.string(),
  x: z.string(),
  /** Time in milliseconds. */
  createdAt: z.number(),
});
/** A key pair of the agent. */
export type KeyPair = z.output<typeof keyPairSchema>;

const stateSchema = z.object({
  key: keyPairSchema,
  /** The key that will replace the present one. */
  nextKey: keyPairSchema.optional(),
  /** The control plane at which the key is enrolled. */
  audience: z.string().optional(),
  /** SHA-256 of the token with which it was enrolled. */
  usedToken: z.string().optional(),
});
/** All that an agent knows about its keys. */
export type KeyState = z.output<typeof stateSchema>;

/** A state as it is kept. */
export interface StoredKeyState {
  state: KeyState;
  /** Changes with each write. */
  version: string;
  /** uid of the object that has it. Undefined for a file. */
  uid?: string | undefined;
}

/** The place where the keys of an agent are kept. */
export interface KeyStore {
  /** Returns undefined if there is no key. */
  read(): Promise<StoredKeyState | undefined>;
  /**
   * Replaces the state of a version, or creates it if that is undefined. Resolves to false if it is
   * another version now, as another process of the agent has changed it.
   */
  write(state: KeyState, version: string | undefined): Promise<boolean>;
}

/** A place for keys that has something else. */
export class KeyStateError extends Error {
  override readonly name = 'KeyStateError';
}

/** Reads the text of a state. Throws `KeyStateError`, which has nothing of the text. */
export function parseKeyState(text: string, place: string): KeyState {
  try {
    const state = stateSchema.parse(JSON.parse(text));
    for (const pair of [state.key, state.nextKey]) if (pair) privateKeyOf(pair);
    return state;
  } catch {
    throw new KeyStateError(`${place} has no key of an agent; restore it, or delete it and enrol the agent again`);
  }
}

export function formatKeyState(state: KeyState): string {
  return JSON.stringify(state);
}

/** Returns the proof of a key for a challenge. */
export function signProof(pair: KeyPair, challenge: Challenge, fields: Omit<Proof, 'key' | 'signature'>): Proof {
  const proof = { ...fields, key: pair.x };
  return { ...proof, signature: sign(null, proofText(challenge, proof), privateKeyOf(pair)).toString('base64url') };
}

function privateKeyOf({ d, x }: KeyPair): KeyObject {
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
}
