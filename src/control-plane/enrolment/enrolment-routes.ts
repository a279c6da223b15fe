import type { Guard } from '../access/guard.ts';
import { ControlPlaneError } from '../error.ts';
import { readBody, readJson, type RequestBodies, type Route, sendJson } from '../http-json.ts';
import type { KnownAgent } from '../known-agent.ts';
import type { AgentKeys } from './agent-keys.ts';
import { enrolmentBodySchema, type EnrolmentOptions } from './enrolment-options.ts';

export interface EnrolmentRoutesOptions {
  keys: Pick<AgentKeys, 'create' | 'accept' | 'revoke'>;
  agents: () => KnownAgent[];
  bodies: RequestBodies;
  guard: Pick<Guard, 'requireAgent' | 'requireAgentAdministrator'>;
}

/** Returns the routes about single agents and how they enrol. */
export function enrolmentRoutes({ keys, agents, bodies, guard }: EnrolmentRoutesOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/agents/{agentId}',
      audience: 'users',
      summary: 'Returns an agent',
      handler(_request, response, agentId, { principal }) {
        guard.requireAgent(principal, agentId);
        const agent = agents().find((known) => known.agentId === agentId);
        if (!agent) throw new ControlPlaneError('agent_not_found', 'no agent with this id is known');
        sendJson(response, 200, agent);
      },
    },
    {
      method: 'POST',
      path: '/api/agents/{agentId}/enrolment',
      audience: 'users',
      summary: 'Invites an agent: returns a token with which it can enrol',
      async handler(request, response, agentId, { principal }) {
        const body: unknown = await readJson(request, bodies);
        const { labels } = readBody(enrolmentBodySchema, body);
        guard.requireAgentAdministrator(principal, agentId, labels);
        const options = { ...(body as Omit<EnrolmentOptions, 'agentId'>), agentId }; // as the schema says
        sendJson(response, 201, await keys.create(options, principal.name));
      },
    },
    {
      method: 'POST',
      path: '/api/agents/{agentId}/accept',
      audience: 'users',
      summary: 'Lets an agent in that waits for consent',
      async handler(request, response, agentId, { principal }) {
        request.resume();
        guard.requireAgentAdministrator(principal, agentId);
        await keys.accept(agentId, principal.name);
        sendJson(response, 200, { agentId });
      },
    },
    {
      method: 'DELETE',
      path: '/api/agents/{agentId}/enrolment',
      audience: 'users',
      summary: 'Ends the key and the token of an agent, and its connections',
      async handler(_request, response, agentId, { principal }) {
        guard.requireAgentAdministrator(principal, agentId);
        await keys.revoke(agentId, principal.name);
        sendJson(response, 200, { agentId });
      },
    },
  ];
}
