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
    [
      'GET',
      /^\/api\/agents\/([^/]+)$/,
      (_request, response, agentId, { principal }) => {
        guard.requireAgent(principal, agentId);
        const agent = agents().find((known) => known.agentId === agentId);
        if (!agent) throw new ControlPlaneError('agent_not_found', 'no agent with this id is known');
        sendJson(response, 200, agent);
      },
      'users',
    ],
    [
      'POST',
      /^\/api\/agents\/([^/]+)\/enrolment$/,
      async (request, response, agentId, { principal }) => {
        const body: unknown = await readJson(request, bodies);
        const { labels } = readBody(enrolmentBodySchema, body);
        guard.requireAgentAdministrator(principal, agentId, labels);
        const options = { ...(body as Omit<EnrolmentOptions, 'agentId'>), agentId }; // as the schema says
        sendJson(response, 201, await keys.create(options, principal.name));
      },
      'users',
    ],
    [
      'POST',
      /^\/api\/agents\/([^/]+)\/accept$/,
      async (request, response, agentId, { principal }) => {
        request.resume();
        guard.requireAgentAdministrator(principal, agentId);
        await keys.accept(agentId, principal.name);
        sendJson(response, 200, { agentId });
      },
      'users',
    ],
    [
      'DELETE',
      /^\/api\/agents\/([^/]+)\/enrolment$/,
      async (_request, response, agentId, { principal }) => {
        guard.requireAgentAdministrator(principal, agentId);
        await keys.revoke(agentId, principal.name);
        sendJson(response, 200, { agentId });
      },
      'users',
    ],
  ];
}
