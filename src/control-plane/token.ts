import { bearsToken } from '../protocol/authorization.ts';
import { ControlPlaneError } from './error.ts';

/** A token, or a function that reads it each time that it is needed. */
export type Token = string | (() => string | Promise<string>);

/** Whether an Authorization header has the token. An empty token is in no header. */
export async function hasToken(authorization: string | undefined, token: Token): Promise<boolean> {
  return bearsToken(authorization, await read(token));
}

/** Rejects with `ControlPlaneError` `token_unreadable` if the token is empty or cannot be read. */
export async function requireToken(token: Token): Promise<void> {
  const text = await Promise.resolve()
    .then(() => read(token))
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ControlPlaneError('token_unreadable', `cannot read the API token: ${reason}`);
    });
  if (typeof text !== 'string' || text.trim() === '') {
    throw new ControlPlaneError('token_unreadable', 'the API token is empty; give a random one, or none');
  }
}

async function read(token: Token): Promise<string> {
  return typeof token === 'string' ? token : token();
}
