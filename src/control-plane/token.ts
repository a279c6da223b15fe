import { bearsToken } from '../protocol/authorization.ts';

/** A token, or a function that reads it each time that it is needed. */
export type Token = string | (() => string | Promise<string>);

/** Whether an Authorization header has the token. True if no token is required. */
export async function isAuthorized(authorization: string | undefined, token: Token | undefined): Promise<boolean> {
  if (token === undefined) return true;
  return bearsToken(authorization, typeof token === 'string' ? token : await token());
}
