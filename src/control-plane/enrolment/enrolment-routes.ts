import { ControlPlaneError } from '../error.ts';
import { readBody, readJson, type RequestBodies, type Route, sendJson } from '../http-json.ts';
import type { KnownAgent } from '../known-agent.ts';
import type { AgentKeys } from './agent-keys.ts';
import { enrolmentBodySchema, type EnrolmentOptions } from './enrolment-options.ts';

export interface EnrolmentRoutesOptions {
  keys: Pick<AgentKeys, 'create' | 'accept' | 'revoke'>;
  agents: () => KnownAgent[];
  bodies: RequestBodies;
  /** Who sends the requests, for the log. */
  sentBy: string;
}

/** Returns the routes about single agents and how they enrol. */
export function enrolmentRoutes({ keys, agents, bodies, sentBy }: EnrolmentRoutesOptions): Route[] {
  return [
    [
      'GET',
      /^\/api\/agents\/([^/]+)$/,
      (_request, response, agentId) => {
        const agent = agents().find((known) => known.agentId === agentId);
        if (!agent) throw new ControlPlaneError('agent_not_found', 'no agent with this id is known');
        sendJson(response, 200, agent);
      },
    ],
    [
      'POST',
      /^\/api\/agents\/([^/]+)\/enrolment$/,
      async (request, response, agentId) => {
        const body: unknown = await readJson(request, bodies);
        readBody(enrolmentBodySchema, body);
        const options = { ...(body as Omit<EnrolmentOptions, 'agentId'>), agentId }; // as the schema says
        sendJson(response, 201, await keys.create(options, sentBy));
      },
    ],
    [
      'POST',
      /^\/api\/agents\/([^/]+)\/accept$/,
      async (request, response, agentId) => {
        request.resume();
        await keys.accept(agentId, sentBy);
        sendJson(response, 200, { agentId });
      },
    ],
    [
      'DELETE',
      /^\/api\/agents\/([^/]+)\/enrolment$/,
      async (_request, response, agentId) => {
        await keys.revoke(agentId, sentBy);
        sendJson(response, 200, { agentId });
      },
    ],
  ];
}
