import { bearsToken } from '../protocol/authorization.ts';

/** A token, or what reads it afresh each time. */
export type Token = string | (() => string | Promise<string>);

/** Whether an Authorization header bears the token; true where none is asked for. */
export async function isAuthorized(authorization: string | undefined, token: Token | undefined): Promise<boolean> {
  if (token === undefined) return true;
  return bearsToken(authorization, typeof token === 'string' ? token : await token());
}
