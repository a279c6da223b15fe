import { generateKeyPairSync } from 'node:crypto';
import * as z from 'zod';
import type { Sealed } from '../protocol/sealed.ts';
import { type PublicSealingKey, sealingKeyOf } from './public-sealing-key.ts';
import { openSealed, type PrivateSealingKey, type SealedPlace } from './sealed-text.ts';
import { SealingError } from './sealing-error.ts';

/** The place where the keys are kept, as text. */
export interface SealingKeyStore {
  /** Where it is, for errors. */
  readonly name: string;
  /** Returns undefined if nothing is kept. */
  read(): Promise<{ text: string; version: string } | undefined>;
  /**
   * Replaces the text of a version, or creates it if that is undefined. Resolves to false if it is
   * another version now.
   */
  write(text: string, version: string | undefined): Promise<boolean>;
}

export interface SealingKeysOptions {
  agentId: string;
  store: SealingKeyStore;
  /** Age at which a key is replaced, in milliseconds. Default: never. */
  rotateAfterMs?: number | undefined;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
}

const keySchema = z.object({ d: z.string().length(43), x: z.string().length(43), createdAt: z.number() });

const stateSchema = z.object({
  format: z.literal(1),
  /** The key to which values are sealed. */
  key: keySchema,
  /** The key before, whose values can still be opened. */
  previousKey: keySchema.optional(),
});

type State = z.output<typeof stateSchema>;

/** Number of attempts to change the keys while other processes of the agent change them. */
const maxAttempts = 10;

/**
 * The keys of an agent that open sealed texts. The first one is made when someone asks for it. A
 * key that is replaced opens texts until the next one is replaced, too.
 */
export class SealingKeys {
  readonly #options: SealingKeysOptions;

  constructor(options: SealingKeysOptions) {
    this.#options = options;
  }

  /** Returns the key to seal to. Makes it, or replaces one that is too old. */
  async publicKey(): Promise<{ key: PublicSealingKey; createdAt: number; previousId?: string }> {
    const { store, now, rotateAfterMs = Infinity } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await this.#read();
      const isDue = found === undefined || found.state.key.createdAt + rotateAfterMs <= now();
      if (!isDue) {
        const { key, previousKey } = found.state;
        const previous = previousKey && { previousId: publicKeyOf(previousKey).id };
        return { key: publicKeyOf(key), createdAt: key.createdAt, ...previous };
      }
      const previous = found && { previousKey: found.state.key };
      const state: State = { format: 1, key: newKey(now()), ...previous };
      await store.write(JSON.stringify(state), found?.version);
    }
    throw new SealingError('other processes of the agent change its sealing key all the time; is the id used twice?');
  }

  /**
   * Opens a text that was sealed for a place of this agent. Throws `SealingError`, whose message is
   * the end of a sentence and has nothing of the text.
   */
  async open(sealed: Sealed, place: Omit<SealedPlace, 'agentId'>): Promise<string> {
    const { agentId } = this.#options;
    // first, because another agent never has the key
    if (sealed.agentId !== agentId) throw new SealingError(`it is sealed for the agent ${sealed.agentId}`);
    const found = await this.#read();
    const { key, previousKey } = found?.state ?? {};
    const own = [key, previousKey].find((one) => one !== undefined && publicKeyOf(one).id === sealed.keyId);
    if (own !== undefined) return await openSealed(sealed, own, { ...place, agentId });
    throw new SealingError(
      `it is sealed to the key ${sealed.keyId}, which this agent does not have, or not any more; seal it again to the key that ctl sealing-key prints`,
    );
  }

  async #read(): Promise<{ state: State; version: string } | undefined> {
    const { store } = this.#options;
    const found = await store.read();
    if (found === undefined) return undefined;
    try {
      return { state: stateSchema.parse(JSON.parse(found.text)), version: found.version };
    } catch {
      // without the cause, which may have parts of the key
      throw new SealingError(`${store.name} has no sealing keys; restore it, or delete it and seal all values again`);
    }
  }
}

function newKey(createdAt: number): State['key'] {
  const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { d, x, createdAt };
}

function publicKeyOf({ x }: PrivateSealingKey): PublicSealingKey {
  return sealingKeyOf(Buffer.from(x, 'base64url'));
}
