import * as z from 'zod';
import { tokenHash } from '../../net/authorization.ts';
import type { StoredEntry } from '../store/command-store.ts';

const enrolmentSchema = z.object({
  agentId: z.string(),
  /** Times in milliseconds. */
  createdAt: z.number(),
  expiresAt: z.number(),
  needsConsent: z.boolean(),
  labels: z.record(z.string(), z.string()),
});
/** An invitation of an agent. */
export type Enrolment = z.output<typeof enrolmentSchema>;

export interface EnrolmentClock {
  now: () => Date;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
}

export interface EnrolmentTokensOptions extends EnrolmentClock {
  keep: (entry: StoredEntry) => void;
  /** Returns this many random bytes. */
  randomBytes: (size: number) => Uint8Array;
}

const collection = 'enrolment';

/** Number of random bytes in a token. */
const tokenBytes = 32;

/** Begins each token, so that scanners for secrets can find one. */
const prefix = 'hae_';

/** Time between two searches for tokens that have expired, in milliseconds. */
const sweepMs = 60_000;

/**
 * The tokens with which agents can enrol. Each agent has at most one. They are kept as their
 * SHA-256, which is enough, because they are random and have 256 bits.
 */
export class EnrolmentTokens {
  readonly #options: EnrolmentTokensOptions;
  /** By the hashes of the tokens. */
  readonly #enrolments = new Map<string, Enrolment & { deadline: number }>();
  /** The hashes of the tokens, by agent. */
  readonly #hashes = new Map<string, string>();
  #nextSweep = 0;

  constructor(options: EnrolmentTokensOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#enrolments.size;
  }

  /** Takes an entry of the store. Returns false if it is another one's. */
  restore({ collection: name, id, text = '' }: StoredEntry): boolean {
    if (name !== collection) return false;
    this.#add(id, enrolmentSchema.parse(JSON.parse(text)));
    return true;
  }

  /** Returns a new token, which replaces the one before of its agent. */
  create(
    enrolment: Omit<Enrolment, 'createdAt' | 'expiresAt'>,
    lifetimeMs: number,
  ): { token: string; expiresAt: number } {
    this.#sweep();
    this.end(enrolment.agentId);
    const token = `${prefix}${Buffer.from(this.#options.randomBytes(tokenBytes)).toString('base64url')}`;
    const hash = tokenHash(token);
    const createdAt = this.#options.now().getTime();
    const expiresAt = createdAt + lifetimeMs;
    const created = { ...enrolment, createdAt, expiresAt };
    this.#add(hash, created);
    this.#options.keep({ collection, id: hash, text: JSON.stringify(created) });
    return { token, expiresAt };
  }

  /** Uses a token up. Returns undefined if the agent cannot enrol with it. */
  take(token: string, agentId: string): Enrolment | undefined {
    // tokens are random, so the time that it takes to find a hash tells nothing about them
    const hash = tokenHash(token);
    const enrolment = this.#enrolments.get(hash);
    // one of another agent stays, because that agent may come yet
    if (enrolment?.agentId !== agentId) return undefined;
    this.#delete(hash);
    return this.#isExpired(enrolment) ? undefined : enrolment;
  }

  /** Returns what the agent's token allows, if it has one that has not expired. */
  of(agentId: string): Enrolment | undefined {
    const hash = this.#hashes.get(agentId);
    const enrolment = hash === undefined ? undefined : this.#enrolments.get(hash);
    return enrolment && !this.#isExpired(enrolment) ? enrolment : undefined;
  }

  /** Returns the agents that have a token, which may have expired. */
  agentIds(): Iterable<string> {
    return this.#hashes.keys();
  }

  /** Ends the token of an agent. Returns whether it had one. */
  end(agentId: string): boolean {
    const hash = this.#hashes.get(agentId);
    if (hash !== undefined) this.#delete(hash);
    return hash !== undefined;
  }

  #add(hash: string, enrolment: Enrolment): void {
    const { now, monotonic } = this.#options;
    const { createdAt, expiresAt } = enrolment;
    // a clock that is set back does not make it longer
    const left = Math.min(expiresAt - now().getTime(), expiresAt - createdAt);
    this.#enrolments.set(hash, { ...enrolment, deadline: monotonic() + left });
    this.#hashes.set(enrolment.agentId, hash);
  }

  #isExpired({ expiresAt, deadline }: { expiresAt: number; deadline: number }): boolean {
    return this.#options.now().getTime() >= expiresAt || this.#options.monotonic() >= deadline;
  }

  #delete(hash: string): void {
    const { agentId } = this.#enrolments.get(hash) ?? {};
    this.#enrolments.delete(hash);
    if (agentId !== undefined && this.#hashes.get(agentId) === hash) this.#hashes.delete(agentId);
    this.#options.keep({ collection, id: hash, text: undefined });
  }

  #sweep(): void {
    const time = this.#options.monotonic();
    if (time < this.#nextSweep) return;
    this.#nextSweep = time + sweepMs;
    for (const [hash, enrolment] of this.#enrolments) if (this.#isExpired(enrolment)) this.#delete(hash);
  }
}
