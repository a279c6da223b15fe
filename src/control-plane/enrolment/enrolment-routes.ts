import * as z from 'zod';
import type { Guard } from '../access/guard.ts';
import { type ApiRoute, readBody, readJson, type RequestBodies, sendJson } from '../http-json.ts';
import type { AgentKeys } from './agent-keys.ts';
import { enrolmentBodySchema, type EnrolmentOptions } from './enrolment-options.ts';

export interface EnrolmentRoutesOptions {
  keys: Pick<AgentKeys, 'create' | 'accept' | 'revoke'>;
  bodies: RequestBodies;
  guard: Pick<Guard, 'requireAgentAdministrator'>;
}

const agentSchema = z.object({ agentId: z.string() });

const createdEnrolmentSchema = z.object({
  agentId: z.string(),
  token: z.string(),
  expiresAt: z.iso.datetime(),
  replacesKey: z.boolean().describe('Whether the agent has a key, which ends when the token is used'),
});

/** Returns the routes about how agents enrol. */
export function enrolmentRoutes({ keys, bodies, guard }: EnrolmentRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/agents/{agentId}/enrolment',
      audience: 'users',
      name: 'inviteAgent',
      summary: 'Invites an agent: returns a token with which it can enrol',
      body: enrolmentBodySchema,
      responses: { 201: { description: 'The token, which is not shown again', schema: createdEnrolmentSchema } },
      errors: ['agent_not_found', 'forbidden', 'store_unavailable'],
      async handler(request, response, agentId, { principal }) {
        const body: unknown = await readJson(request, bodies);
        const { labels } = readBody(enrolmentBodySchema, body);
        const requireAllowed = () => guard.requireAgentAdministrator(principal, agentId, labels);
        const options = { ...(body as Omit<EnrolmentOptions, 'agentId'>), agentId }; // as the schema says
        sendJson(response, 201, await keys.create(options, { name: principal.name, requireAllowed }));
      },
    },
    {
      method: 'POST',
      path: '/api/agents/{agentId}/accept',
      audience: 'users',
      name: 'acceptAgent',
      summary: 'Lets an agent in that waits for consent',
      responses: { 200: { description: 'It is let in', schema: agentSchema } },
      errors: ['agent_not_found', 'forbidden', 'store_unavailable'],
      async handler(request, response, agentId, { principal }) {
        request.resume();
        const requireAllowed = () => guard.requireAgentAdministrator(principal, agentId);
        await keys.accept(agentId, { name: principal.name, requireAllowed });
        sendJson(response, 200, { agentId });
      },
    },
    {
      method: 'DELETE',
      path: '/api/agents/{agentId}/enrolment',
      audience: 'users',
      name: 'revokeAgent',
      summary: 'Ends the key and the token of an agent, and its connections',
      responses: { 200: { description: 'They have ended', schema: agentSchema } },
      errors: ['agent_not_found', 'forbidden', 'store_unavailable'],
      async handler(_request, response, agentId, { principal }) {
        guard.requireAgentAdministrator(principal, agentId);
        await keys.revoke(agentId, principal.name);
        sendJson(response, 200, { agentId });
      },
    },
  ];
}
