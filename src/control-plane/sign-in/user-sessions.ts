import * as z from 'zod';
import { tokenHash } from '../../net/authorization.ts';
import type { Principal, Role } from '../access/role.ts';
import { ControlPlaneError } from '../error.ts';
import type { StoredEntry } from '../store/command-store.ts';
import { type EntryStore, storedOrKept, storedOrTakenBack } from '../store/entry-store.ts';
import type { Person } from './person.ts';
import type { SignInSettings } from './sign-in-settings.ts';

export interface UserSessionsOptions extends EntryStore {
  settings: () => SignInSettings;
  now: () => Date;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
  /** Returns this many random bytes. */
  randomBytes: (size: number) => Uint8Array;
  /** Called when a session has ended by itself, or because the sign-in file has changed. */
  onEnded?: ((session: UserSession, reason: 'expired' | 'no role any more') => void) | undefined;
}

/** Where the secret of a session is kept: in the cookie of a browser, or in a file of `ctl`. */
export type SessionKind = 'browser' | 'ctl';

const sessionSchema = z.object({
  name: z.string(),
  groups: z.array(z.string()),
  kind: z.enum(['browser', 'ctl']),
  /** The provider and the client of it that have authenticated the person. */
  issuer: z.string(),
  clientId: z.string(),
  /** Times in milliseconds. */
  createdAt: z.number(),
  seenAt: z.number(),
});
type StoredSession = z.output<typeof sessionSchema>;

/** A session of a person, without its secret. */
export interface UserSession {
  /** The first 12 digits of the SHA-256 of the secret. */
  readonly id: string;
  readonly name: string;
  readonly kind: SessionKind;
  /** Times in RFC 3339. It ends earlier if it is not used for some time. */
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
}

/** A session that has begun. Its secret is stored nowhere; only its hash is. */
export interface CreatedSession extends UserSession {
  readonly secret: string;
}

interface Entry {
  stored: StoredSession;
  principal: Principal;
  revocation: AbortController;
  /** Monotonic times. */
  began: number;
  seen: number;
}

const collection = 'user-session';

/** Number of random bytes in a secret. */
const secretBytes = 32;

/** Begins each secret, so that scanners for secrets can find one. */
const prefix = 'has_';

const maxSessions = 10_000;

/** Number of sessions of one person; a new one ends the one that was used longest ago. */
const maxSessionsOfPerson = 20;

/** Hexadecimal digits of the hash of a secret that are the id of its session. */
const idDigits = 12;

/** Time between two searches for sessions that have expired, in milliseconds. */
const sweepMs = 500;

/** Time after which the store gets the time of the last use again, in milliseconds. */
const seenIntervalMs = 60_000;

/**
 * The sessions of people who have signed in. As tokens, they are kept by the SHA-256 of a random
 * secret. Their roles are those that the sign-in file gives their groups now.
 */
export class UserSessions {
  readonly #options: UserSessionsOptions;
  /** By the hashes of their secrets. */
  readonly #sessions = new Map<string, Entry>();
  #sweeps: NodeJS.Timeout | undefined;

  constructor(options: UserSessionsOptions) {
    this.#options = options;
  }

  /** Takes what the store has. */
  open(entries: readonly StoredEntry[]): void {
    for (const { collection: name, id, text = '' } of entries) {
      if (name === collection) this.#add(id, sessionSchema.parse(JSON.parse(text)));
    }
    this.refresh();
  }

  /** Stops to look for sessions that have expired. */
  close(): void {
    clearInterval(this.#sweeps);
    this.#sweeps = undefined;
  }

  /**
   * Begins a session, and returns it when it is stored. Rejects with `ControlPlaneError` `busy`,
   * and with `store_unavailable`; there is no session then.
   */
  async create({ name, groups }: Person, kind: SessionKind): Promise<CreatedSession> {
    const { settings, now, randomBytes, keep, stored } = this.#options;
    await stored();
    if (this.#sessions.size >= maxSessions) {
      throw new ControlPlaneError('busy', `there are ${maxSessions} sessions already; try again later`);
    }
    const own = [...this.#sessions].filter(([, entry]) => entry.stored.name === name);
    const [oldest] = own.sort(([, first], [, second]) => first.seen - second.seen);
    if (oldest && own.length >= maxSessionsOfPerson) this.#end(oldest[0]);
    const secret = `${prefix}${Buffer.from(randomBytes(secretBytes)).toString('base64url')}`;
    const hash = tokenHash(secret);
    const at = now().getTime();
    const { issuer, clientId } = settings();
    const created = { name, groups: [...groups], kind, issuer, clientId, createdAt: at, seenAt: at };
    this.#add(hash, created);
    keep({ collection, id: hash, text: JSON.stringify(created) });
    await storedOrTakenBack({ stored }, () => this.#end(hash));
    return { ...this.#shown(hash, created), secret };
  }

  /**
   * Returns the sessions that are valid, sorted by name. Default of `name`: those of all people.
   */
  list(name?: string): UserSession[] {
    this.#sweep();
    return [...this.#sessions]
      .filter(([, { stored }]) => name === undefined || stored.name === name)
      .map(([hash, { stored }]) => this.#shown(hash, stored))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Ends a session, and the streams of its person. Returns it when that is stored. Rejects with
   * `ControlPlaneError` `session_not_found`, also if it is that of another one than `name`, and
   * with `store_unavailable` until the end of the session is stored; it has ended in this process
   * all the same.
   */
  async revoke(id: string, name?: string): Promise<UserSession> {
    const found = [...this.#sessions].find(([hash]) => hash.slice(0, idDigits) === id);
    if (!found || (name !== undefined && found[1].stored.name !== name)) {
      await this.#options.stored(); // it may have ended without being stored
      throw new ControlPlaneError('session_not_found', 'no session has this id');
    }
    const [hash, { stored }] = found;
    this.#end(hash);
    await storedOrKept(this.#options);
    return this.#shown(hash, stored);
  }

  /** Ends the session of a browser, if its secret is that of one. */
  async endBrowser(secret: string): Promise<void> {
    const hash = tokenHash(secret);
    if (this.#sessions.get(hash)?.stored.kind !== 'browser') return;
    this.#end(hash);
    await this.#options.stored();
  }

  /** Whether a text has the form of these secrets. */
  isSecret(text: string): boolean {
    return text.startsWith(prefix);
  }

  /** Returns the person whose session has a secret, if it is valid, and notes that it is used. */
  find(secret: string, kind: SessionKind): Principal | undefined {
    const hash = tokenHash(secret);
    const entry = this.#sessions.get(hash);
    if (entry?.stored.kind !== kind) return undefined;
    if (this.#isExpired(entry)) {
      this.#endAndTell(hash, 'expired');
      return undefined;
    }
    this.#note(hash, entry);
    return entry.principal;
  }

  /** Returns the session of a person; undefined if they have not signed in. */
  sessionOf(user: Principal): UserSession | undefined {
    const found = [...this.#sessions].find(([, { principal }]) => principal === user);
    return found && this.#shown(found[0], found[1].stored);
  }

  /** Gives each person the roles that the sign-in file has now. Ends sessions that have none. */
  refresh(): void {
    for (const [hash, entry] of this.#sessions) {
      const roles = this.#rolesOf(entry.stored);
      if (roles.length === 0) this.#endAndTell(hash, 'no role any more');
      else if (JSON.stringify(roles) !== JSON.stringify(entry.principal.roles)) {
        const before = entry.revocation;
        this.#sessions.set(hash, { ...entry, ...principalOf(entry.stored.name, roles) });
        before.abort(); // streams end, and can be opened again with the new roles
      }
    }
  }

  #rolesOf({ groups, issuer, clientId }: StoredSession): Role[] {
    const settings = this.#options.settings();
    if (settings.issuer !== issuer || settings.clientId !== clientId) return [];
    return settings.groups.filter(({ group }) => groups.includes(group)).flatMap(({ roles }) => roles);
  }

  #add(hash: string, stored: StoredSession): void {
    const { now, monotonic } = this.#options;
    // a clock that is set back does not make it longer
    const age = (since: number) => Math.max(now().getTime() - since, 0);
    this.#sessions.set(hash, {
      ...{ stored, ...principalOf(stored.name, this.#rolesOf(stored)) },
      began: monotonic() - age(stored.createdAt),
      seen: monotonic() - age(stored.seenAt),
    });
    this.#sweeps ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  #note(hash: string, entry: Entry): void {
    const { now, monotonic, keep } = this.#options;
    entry.seen = monotonic();
    const at = now().getTime();
    if (Math.abs(at - entry.stored.seenAt) < seenIntervalMs) return;
    entry.stored = { ...entry.stored, seenAt: at };
    keep({ collection, id: hash, text: JSON.stringify(entry.stored) });
  }

  #isExpired({ stored, began, seen }: Entry): boolean {
    const { settings, now, monotonic } = this.#options;
    const { idle, lifetime } = settings();
    const isOver = now().getTime() >= stored.createdAt + lifetime || monotonic() >= began + lifetime;
    return isOver || monotonic() >= seen + idle;
  }

  #endAndTell(hash: string, reason: 'expired' | 'no role any more'): void {
    const entry = this.#sessions.get(hash);
    this.#end(hash);
    if (entry) this.#options.onEnded?.(this.#shown(hash, entry.stored), reason);
  }

  #end(hash: string): void {
    const entry = this.#sessions.get(hash);
    this.#sessions.delete(hash);
    this.#options.keep({ collection, id: hash, text: undefined });
    entry?.revocation.abort();
    if (this.#sessions.size === 0) this.close();
  }

  #sweep(): void {
    for (const [hash, entry] of this.#sessions) if (this.#isExpired(entry)) this.#endAndTell(hash, 'expired');
  }

  #shown(hash: string, { name, kind, createdAt, seenAt }: StoredSession): UserSession {
    const times = { createdAt: timeText(createdAt), seenAt: timeText(seenAt) };
    const expiresAt = timeText(createdAt + this.#options.settings().lifetime);
    return { id: hash.slice(0, idDigits), name, kind, ...times, expiresAt };
  }
}

function principalOf(name: string, roles: readonly Role[]): Pick<Entry, 'principal' | 'revocation'> {
  const revocation = new AbortController();
  return { principal: { name, roles, revoked: revocation.signal }, revocation };
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
