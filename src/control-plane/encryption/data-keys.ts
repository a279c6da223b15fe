import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { messageOf } from '../../errors/index.ts';
import { ControlPlaneError } from '../error.ts';
import type { StoredEntry } from '../store/command-store.ts';
import { decryptBytes, encryptBytes, keyBytes, type KeyEncryption } from './key-encryption.ts';

/** The collection of the keys of the data, which are the only entries that are not encrypted. */
export const dataKeyCollection = 'data-key';

const entrySchema = z.object({ keyId: z.string(), encrypted: z.base64() });

/** Begins each encrypted text. No text of a store begins so, because all are JSON. */
const prefix = 'encrypted:1:';

/** Each text is encrypted with a key of its own, derived from this many random bytes. */
const saltBytes = 16;

/** The keys with which the data of a store is encrypted. */
export class DataKeys {
  /** By number. The highest one encrypts. */
  readonly #keys: ReadonlyMap<number, Uint8Array>;
  readonly #current: number;

  constructor(keys: ReadonlyMap<number, Uint8Array>) {
    this.#keys = keys;
    this.#current = Math.max(...keys.keys());
  }

  /** Encrypts a text for a place of the store; elsewhere, it cannot be decrypted. */
  encrypt(text: string, place: readonly (string | number)[]): string {
    const salt = randomBytes(saltBytes);
    const encrypted = encryptBytes(this.#keyOf(this.#current, salt), Buffer.from(text), JSON.stringify(place));
    return `${prefix}${this.#current}:${Buffer.concat([salt, encrypted]).toString('base64')}`;
  }

  /**
   * Decrypts a text of a place. Returns one that is not encrypted as it is. Throws
   * `ControlPlaneError` `store_unavailable` for one that was changed, or belongs elsewhere.
   */
  decrypt(text: string, place: readonly (string | number)[]): string {
    if (!isEncrypted(text)) return text;
    try {
      const end = text.indexOf(':', prefix.length);
      const bytes = Buffer.from(text.slice(end + 1), 'base64');
      const key = this.#keyOf(Number(text.slice(prefix.length, end)), bytes.subarray(0, saltBytes));
      return decryptBytes(key, bytes.subarray(saltBytes), JSON.stringify(place)).toString('utf8');
    } catch (error) {
      const [kind] = place;
      throw unavailable(`a stored ${kind} cannot be decrypted: it was changed (${messageOf(error)})`);
    }
  }

  #keyOf(number: number, salt: Uint8Array): Buffer {
    const key = this.#keys.get(number);
    if (!key) throw new Error(`there is no data key ${number}`);
    return createHmac('sha256', key).update(salt).digest();
  }
}

/** Whether a text is encrypted. */
export function isEncrypted(text: string): boolean {
  return text.startsWith(prefix);
}

/**
 * Returns the keys of the data, and the entries that have to be stored before they are used. A new
 * one is created if there is none yet that the current key has encrypted. The others are encrypted
 * again with the current key, so that the one before is not needed any more. Rejects with
 * `ControlPlaneError` `store_unavailable`.
 */
export async function openDataKeys(
  entries: readonly StoredEntry[],
  encryption: KeyEncryption,
): Promise<{ keys: DataKeys; changed: StoredEntry[] }> {
  const keys = new Map<number, Uint8Array>();
  const changed: StoredEntry[] = [];
  const put = async (number: number, key: Uint8Array) => {
    keys.set(number, key);
    const encrypted = Buffer.from(await encryption.encrypt(key)).toString('base64');
    const text = JSON.stringify({ keyId: encryption.currentKeyId, encrypted });
    changed.push({ collection: dataKeyCollection, id: String(number), text });
  };
  try {
    let hasCurrent = false;
    for (const { id, text = '' } of entries) {
      const { keyId, encrypted } = entrySchema.parse(JSON.parse(text));
      const key = await encryption.decrypt(keyId, Buffer.from(encrypted, 'base64'));
      if (keyId === encryption.currentKeyId) hasCurrent = true;
      else await put(Number(id), key);
      keys.set(Number(id), key);
    }
    if (!hasCurrent) await put(Math.max(0, ...keys.keys()) + 1, randomBytes(keyBytes));
    return { keys: new DataKeys(keys), changed };
  } catch (error) {
    throw unavailable(`the keys of the encrypted data cannot be read: ${messageOf(error)}`);
  }
}

function unavailable(message: string): ControlPlaneError {
  return new ControlPlaneError('store_unavailable', message);
}
