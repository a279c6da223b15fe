import { createHash, timingSafeEqual } from 'node:crypto';

/** The value of an Authorization header that bears a token. */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** Whether an Authorization header bears the token, told in constant time. */
export function bearsToken(authorization: string | undefined, token: string): boolean {
  const given = authorization?.replace(/^bearer +/i, '') ?? '';
  return timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
