import { readJson, type RequestBodies, type Route, sendJson } from '../http-json.ts';
import type { TokenOptions } from './token-options.ts';
import type { UserTokens } from './user-tokens.ts';

export interface TokenRoutesOptions {
  tokens: UserTokens;
  bodies: RequestBodies;
}

/** Returns the routes about users and their tokens. */
export function tokenRoutes({ tokens, bodies }: TokenRoutesOptions): Route[] {
  return [
    [
      'GET',
      /^\/api\/whoami$/,
      (_request, response, _id, { principal }) => {
        const { name, roles } = principal;
        sendJson(response, 200, { name, roles, expiresAt: tokens.expiryOf(principal) });
      },
      'users',
    ],
    ['GET', /^\/api\/tokens$/, (_request, response) => sendJson(response, 200, { tokens: tokens.list() })],
    [
      'POST',
      /^\/api\/tokens$/,
      async (request, response, _id, { principal, note }) => {
        const options = (await readJson(request, bodies)) as TokenOptions; // create() reads it
        const created = await tokens.create(options, principal.name);
        note({ tokenId: created.id });
        sendJson(response, 201, created);
      },
    ],
    [
      'DELETE',
      /^\/api\/tokens\/([^/]+)$/,
      async (_request, response, id, { note }) => {
        note({ tokenId: id });
        sendJson(response, 200, await tokens.revoke(id));
      },
    ],
  ];
}
