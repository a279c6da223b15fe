import * as z from 'zod';
import { tokenHash } from '../../net/authorization.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { ControlPlaneError } from '../error.ts';
import type { StoredEntry } from '../store/command-store.ts';
import { type EntryStore, storedOrKept, storedOrTakenBack } from '../store/entry-store.ts';
import type { ActingUser } from './acting-user.ts';
import type { Principal } from './role.ts';
import { readTokenOptions, type TokenOptions } from './token-options.ts';

export interface UserTokensOptions extends EntryStore {
  /** The commands that roles can name. */
  table: CommandTable;
  now: () => Date;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
  /** Returns this many random bytes. */
  randomBytes: (size: number) => Uint8Array;
  /** Called when a token has expired, so that it is deleted. */
  onExpired?: ((token: UserToken) => void) | undefined;
}

const tokenSchema = z.object({
  name: z.string(),
  // as they were checked when they were stored; a right of a newer version gives nothing
  roles: z.array(
    z.object({
      rights: z.array(z.string()),
      agents: z.array(z.string()).optional(),
      labels: z.string().optional(),
      namespaces: z.array(z.string()).optional(),
      releases: z.array(z.string()).optional(),
    }),
  ),
  /** Times in milliseconds. */
  createdAt: z.number(),
  expiresAt: z.number(),
  createdBy: z.string().optional(),
});
type StoredToken = z.output<typeof tokenSchema>;

/** A token of a user, without the token itself. */
export interface UserToken extends Pick<Principal, 'name' | 'roles'> {
  /** The first 12 digits of the SHA-256 of the token. */
  readonly id: string;
  /** Times in RFC 3339. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The user who has created it. Undefined: the application did. */
  readonly createdBy?: string | undefined;
}

/** A token that was created. It is stored nowhere; only its hash is. */
export interface CreatedToken extends UserToken {
  readonly token: string;
}

interface Entry {
  stored: StoredToken;
  principal: Principal;
  revocation: AbortController;
  /** Monotonic time of the end. */
  deadline: number;
}

const collection = 'user-token';

/** Number of random bytes in a token. */
const tokenBytes = 32;

/** Begins each token, so that scanners for secrets can find one. */
const prefix = 'hau_';

const maxTokens = 10_000;

/** Hexadecimal digits of the hash of a token that are its id. */
const idDigits = 12;

/** Time between two searches for tokens that have expired, in milliseconds. */
const sweepMs = 500;

/**
 * The tokens of users. They are kept as their SHA-256, which is enough, because they are random and
 * have 256 bits.
 */
export class UserTokens {
  readonly #options: UserTokensOptions;
  /** By the hashes of the tokens. */
  readonly #tokens = new Map<string, Entry>();
  #sweeps: NodeJS.Timeout | undefined;

  constructor(options: UserTokensOptions) {
    this.#options = options;
  }

  /** Takes what the store has. */
  open(entries: readonly StoredEntry[]): void {
    for (const { collection: name, id, text = '' } of entries) {
      if (name === collection) this.#add(id, tokenSchema.parse(JSON.parse(text)));
    }
  }

  /** Stops to look for tokens that have expired. */
  close(): void {
    clearInterval(this.#sweeps);
    this.#sweeps = undefined;
  }

  /**
   * Returns a new token when it is stored. Rejects with `ControlPlaneError` `bad_request`, with
   * `busy` if there are 10,000, with `store_unavailable`, and if the user may not do that; there is
   * no token then.
   */
  async create(options: TokenOptions, user?: ActingUser): Promise<CreatedToken> {
    const { table, now, randomBytes, keep, stored } = this.#options;
    const { name, roles, lifetimeMs } = readTokenOptions(options, table);
    await stored();
    user?.requireAllowed();
    if (this.#tokens.size >= maxTokens) {
      throw new ControlPlaneError('busy', `there are ${maxTokens} tokens already; revoke those that are not needed`);
    }
    const token = `${prefix}${Buffer.from(randomBytes(tokenBytes)).toString('base64url')}`;
    const hash = tokenHash(token);
    const createdAt = now().getTime();
    const created = { name, roles, createdAt, expiresAt: createdAt + lifetimeMs, createdBy: user?.name };
    this.#add(hash, created);
    keep({ collection, id: hash, text: JSON.stringify(created) });
    await storedOrTakenBack({ stored }, () => this.#end(hash));
    return { ...shown(hash, created), token };
  }

  /** Returns the tokens that are valid, sorted by name. */
  list(): UserToken[] {
    this.#sweep();
    const tokens = Array.from(this.#tokens, ([hash, entry]) => shown(hash, entry.stored));
    return tokens.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Ends a token, and the event streams of those who have it. Returns it when that is stored.
   * Rejects with `ControlPlaneError` `token_not_found`, and with `store_unavailable` until the end
   * of the token is stored; it has ended in this process all the same.
   */
  async revoke(id: string): Promise<UserToken> {
    const found = [...this.#tokens].find(([hash]) => hash.slice(0, idDigits) === id);
    if (!found) {
      await this.#options.stored(); // it may have ended without being stored
      throw new ControlPlaneError('token_not_found', 'no token has this id');
    }
    const [hash, { stored }] = found;
    this.#end(hash);
    await storedOrKept(this.#options);
    return shown(hash, stored);
  }

  /** Whether a text has the form of these tokens. */
  isToken(text: string): boolean {
    return text.startsWith(prefix);
  }

  /** Returns the user who has a token, if it is valid. */
  find(token: string): Principal | undefined {
    // tokens are random, so the time that it takes to find a hash tells nothing about them
    const hash = tokenHash(token);
    const entry = this.#tokens.get(hash);
    if (!entry || !this.#isExpired(entry)) return entry?.principal;
    this.#expire(hash, entry);
    return undefined;
  }

  /** Returns when the token of a user ends. Undefined if it does not have one of these tokens. */
  expiryOf(user: Principal): string | undefined {
    const entry = [...this.#tokens.values()].find(({ principal }) => principal === user);
    return entry && timeText(entry.stored.expiresAt);
  }

  #add(hash: string, stored: StoredToken): void {
    const { now, monotonic } = this.#options;
    const { name, roles, createdAt, expiresAt } = stored;
    const revocation = new AbortController();
    // a clock that is set back does not make it longer
    const left = Math.min(expiresAt - now().getTime(), expiresAt - createdAt);
    const principal = { name, roles, revoked: revocation.signal };
    this.#tokens.set(hash, { stored, principal, revocation, deadline: monotonic() + left });
    this.#sweeps ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  #isExpired({ stored: { expiresAt }, deadline }: Entry): boolean {
    return this.#options.now().getTime() >= expiresAt || this.#options.monotonic() >= deadline;
  }

  #expire(hash: string, { stored }: Entry): void {
    this.#end(hash);
    this.#options.onExpired?.(shown(hash, stored));
  }

  #end(hash: string): void {
    const entry = this.#tokens.get(hash);
    this.#tokens.delete(hash);
    this.#options.keep({ collection, id: hash, text: undefined });
    entry?.revocation.abort();
    if (this.#tokens.size === 0) this.close();
  }

  #sweep(): void {
    for (const [hash, entry] of this.#tokens) if (this.#isExpired(entry)) this.#expire(hash, entry);
  }
}

function shown(hash: string, { name, roles, createdAt, expiresAt, createdBy }: StoredToken): UserToken {
  return {
    id: hash.slice(0, idDigits),
    ...{ name, roles, createdAt: timeText(createdAt), expiresAt: timeText(expiresAt) },
    ...(createdBy !== undefined && { createdBy }),
  };
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
