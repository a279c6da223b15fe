import type { IncomingMessage } from 'node:http';

/** The agent that a request was authenticated as. */
export interface AgentIdentity {
  agentId: string;
  /** Closes the agent's connection when it aborts. Default: the connection stays. */
  revoked?: AbortSignal | undefined;
}

/**
 * Returns the agent whose credential a request has, or undefined if it has none that is valid. The
 * request is that of the WebSocket handshake, so the agent's token is in its `Authorization`
 * header.
 */
export type Authenticate = (request: IncomingMessage) => AgentIdentity | undefined | Promise<AgentIdentity | undefined>;
