import { type ReadonlySignal, signal } from '@preact/signals';

/** A set of rights, and their limits, as `GET /api/whoami` returns it. */
export interface Role {
  readonly rights: readonly string[];
  readonly agents?: readonly string[];
  readonly labels?: string;
  readonly namespaces?: readonly string[];
  readonly releases?: readonly string[];
}

/** The user of the page. */
interface User {
  readonly name: string;
  readonly roles: readonly Role[];
  /** RFC 3339. */
  readonly expiresAt?: string;
}

/**
 * How requests are authenticated: by a token that the user has pasted, which the browser forgets
 * with the tab. A control plane that serves its own machine without a token needs none.
 */
export interface Session {
  /** `unknown` until the control plane has replied for the first time. */
  readonly state: ReadonlySignal<'unknown' | 'signed-out' | 'signed-in'>;
  readonly user: ReadonlySignal<User | undefined>;
  /** Returns the headers of a request. */
  headers(): Record<string, string>;
  /** Asks the control plane who the user is. Rejects if it cannot be reached. */
  resume(): Promise<void>;
  /** Signs in, and returns whether the token is valid. Rejects like `resume`. */
  signIn(token: string): Promise<boolean>;
  /** Forgets the token. */
  signOut(): void;
}

const storageKey = 'helm-agent-token';

export interface SessionOptions {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  fetch: typeof fetch;
}

export function createSession({ storage, fetch: send }: SessionOptions): Session {
  const state = signal<'unknown' | 'signed-out' | 'signed-in'>('unknown');
  const user = signal<User | undefined>(undefined);
  const headersOf = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };
  const signOut = () => {
    storage.removeItem(storageKey);
    user.value = undefined;
    state.value = 'signed-out';
  };
  /** Returns whether the control plane knows the user of the headers. */
  const enter = async (token: string | null): Promise<boolean> => {
    const response = await send('/api/whoami', { headers: headersOf(token) });
    if (response.status === 401) return false;
    if (!response.ok) throw new Error(`the control plane has responded with ${response.status}`);
    user.value = (await response.json()) as User;
    state.value = 'signed-in';
    return true;
  };
  return {
    state,
    user,
    headers: () => headersOf(storage.getItem(storageKey)),
    async resume() {
      if (!(await enter(storage.getItem(storageKey)))) signOut();
    },
    async signIn(token) {
      if (!/^[\x21-\x7e]{1,4096}$/.test(token) || !(await enter(token))) return false;
      storage.setItem(storageKey, token);
      return true;
    },
    signOut,
  };
}
