import { readFile } from 'node:fs/promises';

/** Reads the token each time that it is needed, because a mounted Secret can change. */
export type TokenSource = () => Promise<string>;

/** A token file that cannot be used. */
class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
  readonly code = 'token_unreadable';
}

/**
 * Returns a source that reads the token in a file, without surrounding white space. It rejects with
 * `TokenFileError`.
 */
export function tokenFile(path: string): TokenSource {
  return async () => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new TokenFileError(`cannot read the token file: ${error instanceof Error ? error.message : path}`);
    });
    const token = text.trim();
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new TokenFileError(`the token file ${path} must hold one word of printable ASCII`);
    }
    return token;
  };
}
