import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the value of an Authorization header for a bearer token. */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** Returns the bearer token in an Authorization header, or undefined if there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const match = /^bearer +(\S+)$/i.exec(authorization ?? '');
  return match?.[1];
}

/**
 * Whether an Authorization header has the token. Compares in constant time. Nothing has an empty
 * token.
 */
export function bearsToken(authorization: string | undefined, token: string): boolean {
  const isEqual = timingSafeEqual(digestOf(bearerToken(authorization) ?? ''), digestOf(token));
  return isEqual && token !== '';
}

/** Returns the SHA-256 digest of a token, in hexadecimal. */
export function tokenHash(token: string): string {
  return digestOf(token).toString('hex');
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
