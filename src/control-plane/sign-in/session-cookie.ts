import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../../net/authorization.ts';
import type { Principal } from '../access/role.ts';
import { ControlPlaneError } from '../error.ts';
import type { SignInSettings } from './sign-in-settings.ts';
import type { UserSessions } from './user-sessions.ts';

/** The header that requests with a cookie need to change something. No form of a page sends it. */
const changeHeader = 'x-helm-agent-request';

type CookieName = 'session' | 'sign-in';

/**
 * Returns the value of a cookie of this control plane. Undefined if the browser has several of the
 * name: one of them may be from another server of its domain.
 */
export function cookieOf({ headers: { cookie = '' } }: IncomingMessage, name: CookieName, settings: SignInSettings) {
  const start = `${nameOf(name, settings)}=`;
  const own = cookie.split(';').flatMap((part) => {
    const text = part.trim();
    return text.startsWith(start) ? text.slice(start.length) : [];
  });
  return own.length === 1 ? own[0] : undefined;
}

/** Returns the header that sets a cookie for some seconds; without a value, one that removes it. */
export function setCookie(name: CookieName, settings: SignInSettings, value = '', maxAge = 0): string {
  const secure = isSecure(settings) ? '; Secure' : '';
  return `${nameOf(name, settings)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** With the prefix, browsers take the cookie only from this server, by TLS. */
function nameOf(name: CookieName, settings: SignInSettings): string {
  return `${isSecure(settings) ? '__Host-' : ''}helm-agent-${name}`;
}

function isSecure({ url }: SignInSettings): boolean {
  return url.startsWith('https:');
}

/** Decides about requests of people who have signed in. */
export interface SessionAccess {
  sessions: Pick<UserSessions, 'find' | 'isSecret'>;
  settings: () => SignInSettings;
}

/**
 * Returns the person who has sent a request. A request with an `Authorization` header counts by
 * that alone. Throws `ControlPlaneError` `forbidden` if a page of another server may have made a
 * browser send it.
 */
export function personOfRequest(
  request: IncomingMessage,
  { sessions, settings }: SessionAccess,
): Principal | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const secret = bearerToken(authorization) ?? '';
    return sessions.isSecret(secret) ? sessions.find(secret, 'ctl') : undefined;
  }
  const secret = cookieOf(request, 'session', settings());
  if (secret === undefined) return undefined;
  requireOwnPage(request, settings());
  return sessions.find(secret, 'browser');
}

/** Browsers send cookies with requests of other pages, too, and say where these are from. */
function requireOwnPage({ method = '', headers }: IncomingMessage, { url }: SignInSettings): void {
  const { origin, upgrade } = headers;
  const site = headers['sec-fetch-site'];
  const isRead = ['GET', 'HEAD'].includes(method) && upgrade === undefined;
  const isOwnSite = site === undefined || site === 'same-origin' || (site === 'none' && isRead);
  const isOwnOrigin = origin === url || (origin === undefined && isRead);
  if (!isOwnSite || !isOwnOrigin) {
    throw new ControlPlaneError('forbidden', `pages of other servers than ${url} cannot use this session`);
  }
  if (isRead || upgrade !== undefined || headers[changeHeader] !== undefined) return;
  throw new ControlPlaneError('forbidden', 'a request that changes something needs the header X-Helm-Agent-Request: 1');
}
