import * as z from 'zod';
import { healthSchema, helloSchema } from '../protocol/messages.ts';
import type { CommandIndex } from './command-index.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { AgentKeys, EnrolmentState } from './enrolment/agent-keys.ts';

const enrolmentSchema = z.object({
  states: z.array(z.enum(['invited', 'pending', 'enrolled'])).describe('How far the agent has enrolled'),
  labels: z.record(z.string(), z.string()).optional().describe('The labels with which it was invited'),
  problem: z.string().optional().describe('Why a connection was refused last'),
});

const copyRefusedAtSchema = z.iso
  .datetime()
  .optional()
  .describe('When a process with its identity was refused last that may be of a copy of its cluster');

/** An agent in a response. */
export const knownAgentSchema = z
  .union([
    z.object({
      ...helloSchema.shape,
      ...healthSchema.partial().shape,
      connected: z.literal(true),
      connectedAt: z.iso.datetime().describe('When its connection began'),
      lastSeen: z.iso.datetime().describe('The present time'),
      enrolment: enrolmentSchema.optional(),
      copyRefusedAt: copyRefusedAtSchema,
    }),
    z.object({
      agentId: z.string().describe('Id of the agent'),
      connected: z.literal(false),
      lastSeen: z.iso.datetime().nullable().describe('When its last connection ended; null if it had none'),
      version: z.string().optional().describe('The version of its last connection'),
      enrolment: enrolmentSchema.optional(),
      copyRefusedAt: copyRefusedAtSchema,
    }),
  ])
  .meta({ id: 'Agent' });

/** Facts about the identity of an agent, connected or not. */
interface Identity {
  /** Undefined for an agent that has a token of the agents file, or no credential. */
  enrolment?: EnrolmentState;
  /**
   * When a process with its identity was refused last that may be of a copy of its cluster, in RFC
   * 3339. Undefined if none was since the control plane started, or since the agent has this key.
   */
  copyRefusedAt?: string;
}

/** An agent that is registered or invited, or that was connected before. */
export interface AwayAgent extends Identity {
  agentId: string;
  connected: false;
  /** When its last connection ended, in RFC 3339; null if it was never connected. */
  lastSeen: string | null;
  /** The version of its last connection. */
  version?: string;
}

/** An agent that a control plane can send commands to. */
export type KnownAgent = (ConnectedAgent & Identity & { connected: true; lastSeen: string }) | AwayAgent;

export interface KnownAgentsOptions {
  agents: { list(): readonly ConnectedAgent[] };
  commands: Pick<CommandIndex, 'knownAgents'>;
  /** Returns the ids of all agents with a credential. */
  registered: () => Iterable<string>;
  keys: Pick<AgentKeys, 'knownIds' | 'stateOf'>;
  /** Says when a process that may be of a copy of an agent's cluster was refused last. */
  copies: { refusedAt(agentId: string): string | undefined };
  now: () => Date;
}

/** Returns all agents that are connected, were connected, are registered or invited, by id. */
export function listKnownAgents({ agents, commands, registered, keys, copies, now }: KnownAgentsOptions): KnownAgent[] {
  const known = commands.knownAgents();
  const identityOf = (agentId: string): Identity => {
    const [enrolment, copyRefusedAt] = [keys.stateOf(agentId), copies.refusedAt(agentId)];
    return { ...(enrolment && { enrolment }), ...(copyRefusedAt !== undefined && { copyRefusedAt }) };
  };
  const all = new Map<string, KnownAgent>();
  for (const agentId of [...registered(), ...keys.knownIds(), ...known.keys()]) {
    const { lastSeen, version } = known.get(agentId) ?? {};
    const time = lastSeen === undefined ? null : new Date(lastSeen).toISOString();
    all.set(agentId, {
      agentId,
      connected: false,
      lastSeen: time,
      ...(version !== undefined && { version }),
      ...identityOf(agentId),
    });
  }
  const time = now().toISOString();
  for (const agent of agents.list())
    all.set(agent.agentId, { ...agent, connected: true, lastSeen: time, ...identityOf(agent.agentId) });
  return [...all.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
}
