import * as z from 'zod';
import type { Guard } from './access/guard.ts';
import { AgentChanges } from './agent-changes.ts';
import type { Dispatcher } from './dispatcher.ts';
import { ControlPlaneError } from './error.ts';
import type { EventStreams } from './event-stream.ts';
import { type ApiRoute, sendJson } from './http-json.ts';
import { type KnownAgent, knownAgentSchema } from './known-agent.ts';

export interface AgentRoutesOptions {
  agents: () => KnownAgent[];
  dispatcher: Pick<Dispatcher, 'forgetAgent'>;
  events: EventStreams;
  guard: Pick<Guard, 'sees' | 'requireAgent' | 'requireAgentAdministrator'>;
}

/** Returns the routes about agents, but not those about how they enrol. */
export function agentRoutes({ agents, dispatcher, guard, events }: AgentRoutesOptions): ApiRoute[] {
  const changes = new AgentChanges({ agents });
  return [
    {
      method: 'GET',
      path: '/api/agents',
      audience: 'users',
      name: 'listAgents',
      summary: 'Lists the agents that are known',
      responses: {
        200: { description: 'The agents, by id', schema: z.object({ agents: z.array(knownAgentSchema) }) },
      },
      handler(_request, response, _id, { principal }) {
        const seen = agents().filter(({ agentId }) => guard.sees(principal, agentId));
        sendJson(response, 200, { agents: seen });
      },
    },
    {
      method: 'GET',
      path: '/api/agent-events',
      audience: 'users',
      name: 'streamAgents',
      summary: 'Streams the agents that are known, and those that change',
      responses: {
        200: {
          description: 'Events `agents` and `forgotten`; `ready` comes when all agents were sent',
          mediaType: 'text/event-stream',
        },
      },
      async handler(request, response, _id, user) {
        const sees = (agentId: string) => guard.sees(user.principal, agentId);
        await events.send(request, response, user, (signal) => changes.events(sees, signal));
      },
    },
    {
      method: 'GET',
      path: '/api/agents/{agentId}',
      audience: 'users',
      name: 'getAgent',
      summary: 'Returns an agent',
      responses: { 200: { description: 'The agent', schema: knownAgentSchema } },
      errors: ['agent_not_found'],
      handler(_request, response, agentId, { principal }) {
        guard.requireAgent(principal, agentId);
        const agent = agents().find((known) => known.agentId === agentId);
        if (!agent) throw new ControlPlaneError('agent_not_found', 'no agent with this id is known');
        sendJson(response, 200, agent);
      },
    },
    {
      method: 'GET',
      path: '/api/agents/{agentId}/events',
      audience: 'users',
      name: 'streamAgent',
      summary: 'Streams an agent, again each time it changes',
      responses: {
        200: {
          description: 'Events `agent`; `forgotten` comes when the agent is not known, also at the beginning',
          mediaType: 'text/event-stream',
        },
      },
      errors: ['agent_not_found'],
      async handler(request, response, agentId, user) {
        guard.requireAgent(user.principal, agentId);
        const sees = () => guard.sees(user.principal, agentId);
        await events.send(request, response, user, (signal) => changes.eventsOf(agentId, sees, signal));
      },
    },
    {
      method: 'DELETE',
      path: '/api/agents/{agentId}',
      audience: 'users',
      name: 'forgetAgent',
      summary: 'Forgets an agent that is not connected, and ends its commands',
      responses: {
        200: {
          description: 'The agent was forgotten',
          schema: z.object({
            agentId: z.string(),
            commandsEnded: z.int().describe('Number of its commands that had no result'),
          }),
        },
      },
      errors: ['agent_not_found', 'agent_connected', 'forbidden', 'store_unavailable'],
      async handler(_request, response, agentId, { principal }) {
        const requireAllowed = () => guard.requireAgentAdministrator(principal, agentId);
        const commandsEnded = await dispatcher.forgetAgent(agentId, { name: principal.name, requireAllowed });
        sendJson(response, 200, { agentId, commandsEnded });
      },
    },
  ];
}
