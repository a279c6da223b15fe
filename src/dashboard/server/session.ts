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
 * with the tab, or by the cookie of a person who has signed in at a provider. A control plane that
 * serves its own machine without a token needs none.
 */
export interface Session {
  /** `unknown` until the control plane has replied for the first time. */
  readonly state: ReadonlySignal<'unknown' | 'signed-out' | 'signed-in'>;
  readonly user: ReadonlySignal<User | undefined>;
  /** Returns the headers of a request. */
  headers(): Record<string, string>;
  /** Returns the subprotocols of a WebSocket, which has no headers. */
  protocols(): string[];
  /** Whether someone has a right with some of their roles. The control plane decides for sure. */
  hasRight(right: string): boolean;
  /** Asks the control plane who the user is. Rejects if it cannot be reached. */
  resume(): Promise<void>;
  /** Signs in, and returns whether the token is valid. Rejects like `resume`. */
  signIn(token: string): Promise<boolean>;
  /** Returns whether people can sign in at a provider. */
  hasProvider(): Promise<boolean>;
  /** Forgets the token, after the control plane has found it not valid. */
  forget(): void;
  /** Ends the session. Rejects if the control plane cannot be reached. */
  signOut(): Promise<void>;
}

const storageKey = 'helm-agent-token';

/** Requests with a cookie need it to change something, see docs/protocol.md. */
const changeHeader = { 'x-helm-agent-request': '1' };

/** The user of a control plane that serves its own machine without a token. */
export const localUser = 'local';

export interface SessionOptions {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  fetch: typeof fetch;
}

export function createSession({ storage, fetch: send }: SessionOptions): Session {
  const state = signal<'unknown' | 'signed-out' | 'signed-in'>('unknown');
  const user = signal<User | undefined>(undefined);
  const headersOf = (token: string | null): Record<string, string> =>
    token === null ? changeHeader : { authorization: `Bearer ${token}` };
  const forget = () => {
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
    protocols() {
      const token = storage.getItem(storageKey);
      return ['helm-agent.stream', ...(token === null ? [] : [`helm-agent.bearer.${base64url(token)}`])];
    },
    hasRight(right) {
      const roles = user.value?.roles ?? [];
      return roles.some(({ rights }) => rights.includes('admin') || rights.includes(right));
    },
    async resume() {
      if (!(await enter(storage.getItem(storageKey)))) forget();
    },
    async signIn(token) {
      if (!/^[\x21-\x7e]{1,4096}$/.test(token) || !(await enter(token))) return false;
      storage.setItem(storageKey, token);
      return true;
    },
    async hasProvider() {
      return (await send('/sign-in/methods')).ok;
    },
    forget,
    async signOut() {
      const hasCookie = storage.getItem(storageKey) === null && user.value?.name !== localUser;
      if (hasCookie) await send('/api/sign-out', { method: 'POST', headers: changeHeader });
      forget();
    },
  };
}

/** Tokens have only characters of ASCII, see `signIn`. */
function base64url(token: string): string {
  return btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
