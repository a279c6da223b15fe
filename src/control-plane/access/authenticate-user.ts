import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { bearerToken } from '../../net/authorization.ts';
import { namesThisServer } from '../../net/request-host.ts';
import { ControlPlaneError } from '../error.ts';
import { personOfRequest, type SessionAccess } from '../sign-in/session-cookie.ts';
import { hasToken, type Token } from '../token.ts';
import type { Principal } from './role.ts';
import { builtInNames } from './token-options.ts';
import type { UserTokens } from './user-tokens.ts';

/** How users of the API prove who they are. */
export interface UserAccess {
  /** The token of an administrator. Default: none; see `openHost`. */
  token: Token | undefined;
  tokens: Pick<UserTokens, 'find' | 'isToken'>;
  /** Sessions of people. Default: people cannot sign in. */
  signIn?: SessionAccess | undefined;
  /**
   * Returns the user of a request by other means; undefined if it does not have one. A user needs a
   * name and roles.
   */
  authenticateUser?: ((request: IncomingMessage) => Principal | undefined | Promise<Principal | undefined>) | undefined;
  /**
   * Returns the host that the server listens on if requests without a token are served there.
   */
  openHost: () => string | undefined;
  /** Is given the connection of each request that may use the API. */
  trust: (socket: Socket) => void;
}

/** The user of a request. */
export interface User {
  readonly principal: Principal;
  /** Address of the other end of the connection, which may be that of a proxy. */
  readonly from: string;
  /** Whether the user has the API token, which may be replaced during an event stream. */
  readonly hasApiToken: boolean;
}

/** The user of requests that need no authentication. */
export const anyone: User = { principal: { name: 'anyone', roles: [] }, from: '', hasApiToken: false };

/** Returns the user of a request. Rejects with `ControlPlaneError` `unauthenticated`. */
export async function authenticateUser(request: IncomingMessage, access: UserAccess): Promise<User> {
  const { token, tokens, signIn } = access;
  const { authorization } = request.headers;
  const from = addressOf(request);
  const other = await access.authenticateUser?.(request);
  if (other) return { principal: requirePrincipal(other), from, hasApiToken: false };
  const person = signIn && personOfRequest(request, signIn);
  if (person) return { principal: person, from, hasApiToken: false };
  const own = bearerToken(authorization);
  if (own !== undefined && tokens.isToken(own)) {
    const principal = tokens.find(own);
    if (principal) return { principal, from, hasApiToken: false };
  } else if (token === undefined && !signIn && !access.authenticateUser) {
    requireOpenHost(request, access.openHost());
    return { principal: administrator(builtInNames.local), from, hasApiToken: false };
  } else if (token !== undefined && (await hasToken(authorization, token))) {
    return { principal: administrator(builtInNames.apiToken), from, hasApiToken: true };
  }
  const problem = authorization === undefined ? 'the token is missing' : 'the token is wrong, or has expired';
  const advice = `${signIn ? 'sign in, or ' : ''}send an API token as Authorization: Bearer TOKEN`;
  throw new ControlPlaneError('unauthenticated', `${problem}; ${advice}`);
}

/** Returns the address of the other end of a connection, for the audit log. */
export function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
}

/** Requires that the application's user is one. Throws `TypeError`. */
function requirePrincipal(user: Principal): Principal {
  if (typeof user.name === 'string' && Array.isArray(user.roles)) return user;
  throw new TypeError('the option authenticateUser must return undefined, or a user with a name and roles');
}

function administrator(name: string): Principal {
  return { name, roles: [{ rights: ['admin'] }] };
}

/** Checks that a request without a token comes from this machine, and not from a web page. */
function requireOpenHost(request: IncomingMessage, host: string | undefined): void {
  if (host === undefined) {
    const message = 'this control plane has no API token, so its API is closed; start it with --api-token-file';
    throw new ControlPlaneError('unauthenticated', message);
  }
  // Browsers send Origin with most requests. With the check of the host, which a web page with a
  // name of its own cannot pass, this keeps other web pages from commanding clusters.
  if (!isFromOwnPage(request)) {
    throw new ControlPlaneError('unauthenticated', 'requests from web pages of other servers need a token');
  }
  if (!namesThisServer(request, host)) {
    const message = 'without a token, the Host header must be localhost or the address of the control plane';
    throw new ControlPlaneError('unauthenticated', message);
  }
}

/** Whether a request comes from no web page, or from one of this server: the dashboard. */
function isFromOwnPage({ headers: { origin, host = '' }, socket }: IncomingMessage): boolean {
  if (origin === undefined) return true;
  return origin === `${socket instanceof TLSSocket ? 'https' : 'http'}://${host}`;
}
