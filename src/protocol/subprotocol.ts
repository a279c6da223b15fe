/**
 * The WebSocket subprotocol of helm-agent's own packets. Without it, both ends use the plain form.
 */
export const subprotocol = 'helm-agent.v1';

/** The form of a connection's packets: helm-agent's own, or that of the Go helm-agent. */
export type WireForm = 'v1' | 'plain';

/** Returns the form of a connection from the subprotocol that its handshake selected. */
export function wireForm(selected: string): WireForm {
  return selected === subprotocol ? 'v1' : 'plain';
}

/** Selects a subprotocol among those that a client offers, for a WebSocket server. */
export function selectSubprotocol(offered: Set<string>): string | false {
  return offered.has(subprotocol) ? subprotocol : false;
}
