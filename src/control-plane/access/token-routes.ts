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
    {
      method: 'GET',
      path: '/api/whoami',
      audience: 'users',
      summary: 'Returns the user of the request',
      handler(_request, response, _id, { principal }) {
        const { name, roles } = principal;
        sendJson(response, 200, { name, roles, expiresAt: tokens.expiryOf(principal) });
      },
    },
    {
      method: 'GET',
      path: '/api/tokens',
      summary: 'Lists the tokens of users that are valid',
      handler: (_request, response) => sendJson(response, 200, { tokens: tokens.list() }),
    },
    {
      method: 'POST',
      path: '/api/tokens',
      summary: 'Creates a token of a user',
      async handler(request, response, _id, { principal, note }) {
        const options = (await readJson(request, bodies)) as TokenOptions; // create() reads it
        const created = await tokens.create(options, principal.name);
        note({ tokenId: created.id });
        sendJson(response, 201, created);
      },
    },
    {
      method: 'DELETE',
      path: '/api/tokens/{id}',
      summary: 'Revokes a token of a user',
      async handler(_request, response, id, { note }) {
        note({ tokenId: id });
        sendJson(response, 200, await tokens.revoke(id));
      },
    },
  ];
}
