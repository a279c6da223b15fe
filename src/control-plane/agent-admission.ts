import { closeCodes } from '../protocol/close-codes.ts';
import type { Hello } from '../protocol/messages.ts';
import type { AgentIdentity } from './identity.ts';
import type { Logger } from './logger.ts';

export interface AdmissionContext {
  /** The agent that the handshake proved to be; undefined if agents have no credentials. */
  identity: AgentIdentity | undefined;
  /** The newest instance of the agent that is connected. */
  connected: { instanceId: string } | undefined;
  /** Whether a newer connection of the instance was accepted. */
  isLate: boolean;
  /** Whether the agent has a key, which it has not proved if there is no identity. */
  hasKey: boolean;
  log: Logger;
}

/** Returns why the connection of an agent is closed after its `hello`; undefined if it is not. */
export function refusalOf(
  { agentId, instanceId }: Pick<Hello, 'agentId' | 'instanceId'>,
  { identity, connected, isLate, hasKey, log }: AdmissionContext,
): { code: number; reason: string } | undefined {
  if (identity && identity.agentId !== agentId) {
    log.warn({ agentId: identity.agentId, claimed: agentId }, 'refused an agent that claims the id of another');
    return {
      code: closeCodes.wrongAgent,
      reason: `this credential is that of another agent than ${agentId}`.slice(0, 120),
    };
  }
  if (!identity && hasKey) {
    log.warn({ agentId, instanceId }, 'refused an agent that has a key and did not prove it');
    return { code: closeCodes.notEnrolled, reason: 'this agent has a key, and must prove it' };
  }
  if (isLate) {
    log.info({ agentId, instanceId }, 'closing a connection that is older than another one of its agent');
    return { code: closeCodes.replaced, reason: 'a newer connection of this instance was accepted' };
  }
  if (!connected || connected.instanceId === instanceId) return undefined;
  if (!identity) {
    log.warn({ agentId, instanceId }, 'refused a second agent with the id of a connected one');
    return { code: closeCodes.replaced, reason: 'another agent is connected with this id' };
  }
  const fields = { agentId, instanceId, replaced: connected.instanceId };
  log.warn(fields, 'a second instance of a connected agent takes over; if it is not an upgrade, check the token');
  return undefined;
}
