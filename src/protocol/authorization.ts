import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the value of an Authorization header for a bearer token. */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** Whether an Authorization header has the token. Compares in constant time. */
export function bearsToken(authorization: string | undefined, token: string): boolean {
  const given = authorization?.replace(/^bearer +/i, '') ?? '';
  return timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
