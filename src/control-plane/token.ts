import { messageOf } from '../errors/index.ts';
import { bearsToken } from '../net/authorization.ts';
import { ControlPlaneError } from './error.ts';

/** A token, or a function that reads it each time that it is needed. */
export type Token = string | (() => string | Promise<string>);

/** Whether an Authorization header has the token. An empty token is in no header. */
export async function hasToken(authorization: string | undefined, token: Token): Promise<boolean> {
  return bearsToken(authorization, await read(token));
}

/**
 * Returns which of these Authorization headers have the token, or undefined if it cannot be read
 * now.
 */
export async function bearersOf(
  authorizations: Iterable<string | undefined>,
  token: Token,
): Promise<ReadonlySet<string | undefined> | undefined> {
  const text = await read(token).catch(() => undefined);
  if (text === undefined) return undefined;
  return new Set([...new Set(authorizations)].filter((authorization) => bearsToken(authorization, text)));
}

/** Rejects with `ControlPlaneError` `token_unreadable` if the token is empty or cannot be read. */
export async function requireToken(token: Token): Promise<void> {
  const text = await Promise.resolve()
    .then(() => read(token))
    .catch((error: unknown) => {
      const reason = messageOf(error);
      throw new ControlPlaneError('token_unreadable', `cannot read the API token: ${reason}`);
    });
  if (typeof text !== 'string' || text.trim() === '') {
    throw new ControlPlaneError('token_unreadable', 'the API token is empty; give a random one, or none');
  }
}

async function read(token: Token): Promise<string> {
  return typeof token === 'string' ? token : token();
}
