import * as z from 'zod';
import { ControlPlaneError } from '../error.ts';
import { type ApiRoute, sendJson } from '../http-json.ts';
import type { UserSessions } from '../sign-in/user-sessions.ts';
import type { Guard } from './guard.ts';
import { roleSchema } from './role.ts';
import type { UserTokens } from './user-tokens.ts';

export interface SessionRoutesOptions {
  guard: Pick<Guard, 'allows'>;
  tokens: Pick<UserTokens, 'expiryOf'>;
  /** Undefined: people cannot sign in. */
  sessions: UserSessions | undefined;
}

const userSessionSchema = z
  .object({
    id: z.string(),
    name: z.string().describe('The name of the person'),
    kind: z.enum(['browser', 'ctl']),
    createdAt: z.iso.datetime(),
    seenAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().describe('When it ends; earlier if it is not used'),
  })
  .meta({ id: 'Session' });
const meSchema = z.object({
  name: z.string(),
  roles: z.array(roleSchema),
  isAdministrator: z.boolean(),
  expiresAt: z.iso.datetime().optional().describe('When the session or the token ends'),
  session: userSessionSchema.optional(),
});

/** Returns the routes about the user of a request, and about the sessions of people. */
export function sessionRoutes({ guard, tokens, sessions }: SessionRoutesOptions): ApiRoute[] {
  const me: ApiRoute = {
    method: 'GET',
    path: '/api/me',
    audience: 'users',
    name: 'getMe',
    summary: 'Returns the user of the request, and what they may do',
    responses: { 200: { description: 'The user', schema: meSchema } },
    handler(_request, response, _id, { principal }) {
      const { name, roles } = principal;
      const session = sessions?.sessionOf(principal);
      const expiresAt = session?.expiresAt ?? tokens.expiryOf(principal);
      const isAdministrator = guard.allows(principal, { right: 'admin' });
      sendJson(response, 200, { name, roles, isAdministrator, expiresAt, session });
    },
  };
  const requireSessions = (): UserSessions => {
    if (sessions) return sessions;
    throw new ControlPlaneError('unknown_route', 'people cannot sign in; start the control plane with --sign-in-file');
  };
  return [
    me,
    {
      method: 'GET',
      path: '/api/sessions',
      audience: 'users',
      name: 'listSessions',
      summary: 'Lists the sessions of the user; for administrators, those of all people',
      errors: ['unknown_route'],
      responses: {
        200: { description: 'The sessions, by name', schema: z.object({ sessions: z.array(userSessionSchema) }) },
      },
      handler(_request, response, _id, { principal }) {
        const isAdministrator = guard.allows(principal, { right: 'admin' });
        sendJson(response, 200, { sessions: requireSessions().list(isAdministrator ? undefined : principal.name) });
      },
    },
    {
      method: 'DELETE',
      path: '/api/sessions/{id}',
      audience: 'users',
      name: 'endSession',
      summary: 'Ends a session of the user; for administrators, that of anyone',
      responses: { 200: { description: 'The session that has ended', schema: userSessionSchema } },
      errors: ['session_not_found', 'unknown_route', 'store_unavailable'],
      async handler(_request, response, id, { principal, note }) {
        note({ sessionId: id });
        const isAdministrator = guard.allows(principal, { right: 'admin' });
        sendJson(response, 200, await requireSessions().revoke(id, isAdministrator ? undefined : principal.name));
      },
    },
  ];
}
