import { readFile } from 'node:fs/promises';

/** Reads the token afresh each time, since a mounted Secret changes. */
export type TokenSource = () => Promise<string>;

/** A token file that cannot be used. */
class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
  readonly code = 'token_unreadable';
}

/** The token in a file, without the white space around it. Fails with `TokenFileError`. */
export function tokenFile(path: string): TokenSource {
  return async () => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new TokenFileError(`token file: ${error instanceof Error ? error.message : 'cannot be read'}`);
    });
    const token = text.trim();
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new TokenFileError(`token file: ${path} must hold one word of printable ASCII`);
    }
    return token;
  };
}
