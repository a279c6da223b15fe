import * as z from 'zod';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { type ApiRoute, readJson, type RequestBodies, sendJson } from '../http-json.ts';
import type { UserSessions } from '../sign-in/user-sessions.ts';
import type { Guard } from './guard.ts';
import { roleSchema } from './role.ts';
import { type TokenOptions, tokenOptionsSchema } from './token-options.ts';
import type { UserTokens } from './user-tokens.ts';

export interface TokenRoutesOptions {
  guard: Pick<Guard, 'requireAdministrator'>;
  tokens: UserTokens;
  /** The commands that roles can name. */
  table: CommandTable;
  /** Undefined: people cannot sign in. */
  sessions: UserSessions | undefined;
  bodies: RequestBodies;
}

const rolesSchema = z.array(roleSchema);

const userTokenSchema = z
  .object({
    id: z.string().describe('The first digits of its SHA-256'),
    name: z.string().describe('The name of the user'),
    roles: rolesSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    createdBy: z.string().optional().describe('The user who has created it'),
  })
  .meta({ id: 'Token' });
const tokensSchema = z.object({ tokens: z.array(userTokenSchema) });
const createdTokenSchema = z.object({ ...userTokenSchema.shape, token: z.string() });
const whoAmISchema = z.object({
  name: z.string(),
  roles: rolesSchema,
  expiresAt: z.iso.datetime().optional().describe('When the token of the user ends'),
});

/** Returns the routes about users and their tokens. */
export function tokenRoutes({ guard, tokens, table, sessions, bodies }: TokenRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/whoami',
      audience: 'users',
      name: 'whoAmI',
      summary: 'Returns the user of the request',
      responses: { 200: { description: 'The user', schema: whoAmISchema } },
      handler(_request, response, _id, { principal }) {
        const { name, roles } = principal;
        const expiresAt = sessions?.sessionOf(principal)?.expiresAt ?? tokens.expiryOf(principal);
        sendJson(response, 200, { name, roles, expiresAt });
      },
    },
    {
      method: 'GET',
      path: '/api/tokens',
      name: 'listTokens',
      summary: 'Lists the tokens of users that are valid',
      responses: {
        200: { description: 'The tokens, by name, without the tokens themselves', schema: tokensSchema },
      },
      handler: (_request, response) => sendJson(response, 200, { tokens: tokens.list() }),
    },
    {
      method: 'POST',
      path: '/api/tokens',
      name: 'createToken',
      summary: 'Creates a token of a user',
      body: tokenOptionsSchema(table),
      responses: { 201: { description: 'The token, which is not shown again', schema: createdTokenSchema } },
      errors: ['store_unavailable'],
      async handler(request, response, _id, { principal, note }) {
        const options = (await readJson(request, bodies)) as TokenOptions; // create() reads it
        const requireAllowed = () => guard.requireAdministrator(principal);
        const created = await tokens.create(options, { name: principal.name, requireAllowed });
        note({ tokenId: created.id });
        sendJson(response, 201, created);
      },
    },
    {
      method: 'DELETE',
      path: '/api/tokens/{id}',
      name: 'revokeToken',
      summary: 'Revokes a token of a user',
      responses: { 200: { description: 'The token that is revoked', schema: userTokenSchema } },
      errors: ['token_not_found', 'store_unavailable'],
      async handler(_request, response, id, { note }) {
        note({ tokenId: id });
        sendJson(response, 200, await tokens.revoke(id));
      },
    },
  ];
}
