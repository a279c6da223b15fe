import * as z from 'zod';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { SignatureError } from './signature-error.ts';
import { maxLifetimeMs } from './statement.ts';

/** A signature with which a command is performed. */
export interface SignatureUse {
  /** The release that the command changes. Undefined: none, so that only its key counts. */
  release: string | undefined;
  /** The key of the command. */
  key: string;
  /** Milliseconds since the Unix epoch. */
  issuedAt: number;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
}

/** The place where used signatures are kept, as text. */
export interface UsedSignatureStore {
  /** Returns undefined if nothing is kept. */
  read(): Promise<{ text: string; version: string } | undefined>;
  /** Replaces the text of a version. Resolves to false if it is another version now. */
  write(text: string, version: string | undefined): Promise<boolean>;
}

const useSchema = z.object({ key: z.string(), issuedAt: z.number(), expiresAt: z.number() });

const stateSchema = z.object({
  format: z.literal(1),
  /** Signatures up to this time count as used. */
  floor: z.number(),
  /** The newest signature of each release or key. */
  used: z.record(z.string(), useSchema),
});

interface State {
  floor: number;
  used: Map<string, z.output<typeof useSchema>>;
}

/** Number of signatures that are kept: less than what a Secret can hold. */
const maxUses = 1000;

/** Number of attempts to store a use while other processes do so. */
const maxAttempts = 10;

/** Time for which an expired signature is kept, in milliseconds: more than clocks may differ. */
const graceMs = 3_600_000;

/**
 * The signatures that were used, until those that they refuse have expired: a signed command is
 * performed once, and the signed commands on a release in the order in which they were signed,
 * however often and in whichever order they arrive.
 */
export class UsedSignatures {
  readonly #store: UsedSignatureStore;
  readonly #now: () => number;
  #tail: Promise<unknown> = Promise.resolve();
  /** The state that was read last. Undefined: it has to be read. */
  #last: { state: State; version: string | undefined } | undefined;

  /** `now` returns milliseconds since the Unix epoch. */
  constructor(store: UsedSignatureStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Rejects with `SignatureError` `signature_replayed` if a signature was used. Notes nothing. */
  async requireUnused(use: SignatureUse): Promise<void> {
    const { state } = await this.#read();
    requireNewer(state, use);
  }

  /**
   * Notes a use. Rejects with `SignatureError` `signature_replayed` if a newer one was noted since,
   * unless the command has begun before.
   */
  async note(use: SignatureUse, hasBegun: boolean): Promise<void> {
    const noted = this.#tail.then(() => this.#noteNow(use, hasBegun));
    this.#tail = noted.catch(() => undefined);
    await noted;
  }

  async #noteNow(use: SignatureUse, hasBegun: boolean): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { state, version } = await this.#read();
      const subject = subjectOf(use);
      const { key, issuedAt, expiresAt } = use;
      const known = state.used.get(subject);
      const isOlder = known !== undefined && known.issuedAt >= issuedAt;
      if (hasBegun && (isOlder || issuedAt <= state.floor)) return;
      requireNewer(state, use);
      state.used.set(subject, { key, issuedAt, expiresAt });
      this.#last = undefined;
      if (await this.#store.write(this.#textOf(state), version)) return;
    }
    throw new SignatureError(
      'signature_replayed',
      'other processes of the agent note signatures all the time; send it again',
    );
  }

  async #read(): Promise<{ state: State; version: string | undefined }> {
    if (this.#last !== undefined) return this.#last;
    const stored = await this.#store.read();
    const state = stored === undefined ? { floor: -Infinity, used: new Map() } : stateOf(stored.text);
    this.#last = { state, version: stored?.version };
    return this.#last;
  }

  /** Drops what is not needed any more, and the oldest uses if there are too many. */
  #textOf({ floor, used }: State): string {
    const limit = this.#now() - graceMs;
    const newest = [...used]
      .filter(([subject, known]) => neededUntil(subject, known) > limit)
      .sort(([, a], [, b]) => b.issuedAt - a.issuedAt);
    const dropped = newest.slice(maxUses);
    const newFloor = Math.max(floor, dropped[0]?.[1].issuedAt ?? -Infinity);
    const state = {
      format: 1,
      floor: Number.isFinite(newFloor) ? newFloor : 0,
      used: Object.fromEntries(newest.slice(0, maxUses)),
    };
    return JSON.stringify(state);
  }
}

/** Returns a store that lives as long as the process. */
export function memorySignatureStore(): UsedSignatureStore {
  let last: { text: string; version: string } | undefined;
  return {
    read: () => Promise.resolve(last),
    write(text, version) {
      if (version !== last?.version) return Promise.resolve(false);
      last = { text, version: String(Number(version ?? 0) + 1) };
      return Promise.resolve(true);
    },
  };
}

const ofRelease = 'release ';

function subjectOf({ release, key }: SignatureUse): string {
  return release === undefined ? `key ${key}` : `${ofRelease}${release}`;
}

/** Returns when the last signature has expired that a use refuses: of a release, all older ones. */
function neededUntil(subject: string, { issuedAt, expiresAt }: z.output<typeof useSchema>): number {
  return subject.startsWith(ofRelease) ? issuedAt + maxLifetimeMs : expiresAt;
}

function requireNewer({ floor, used }: State, use: SignatureUse): void {
  const known = used.get(subjectOf(use));
  const signed = `the command was signed at ${new Date(use.issuedAt).toISOString()}`;
  const advice = 'if it is still wanted, sign it again, with a new key';
  if (known?.key === use.key) throw replayed(`${signed} and performed before; ${advice}`);
  if (known !== undefined && known.issuedAt >= use.issuedAt) {
    const newer = new Date(known.issuedAt).toISOString();
    throw replayed(`${signed}, and a command on the release that was signed at ${newer} came before it; ${advice}`);
  }
  if (use.issuedAt <= floor) throw replayed(`${signed}, too long ago to know whether it was performed; ${advice}`);
}

function stateOf(text: string): State {
  try {
    const { data } = stateSchema.safeParse(parseJson(text));
    if (data !== undefined) return { floor: data.floor, used: new Map(Object.entries(data.used)) };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw new SignatureError(
    'signature_replayed',
    'the record of used signatures cannot be read, so signed commands are refused; let the owner of the cluster restore it',
  );
}

function replayed(message: string): SignatureError {
  return new SignatureError('signature_replayed', message);
}
