/**
 * The WebSocket subprotocol of helm-agent's own packets. Without it, both ends use the plain form.
 */
export const subprotocol = 'helm-agent.v1';

/** The same packets after an agent has proved its key. */
export const keySubprotocol = 'helm-agent.v1.key';

/** The form of a connection's packets: helm-agent's own, or that of the Go helm-agent. */
export type WireForm = 'v1' | 'plain';

/** Returns the form of a connection from the subprotocol that its handshake selected. */
export function wireForm(selected: string): WireForm {
  return selected === subprotocol || selected === keySubprotocol ? 'v1' : 'plain';
}

/** Returns the first known subprotocol that a client offers, for a WebSocket server. */
export function selectSubprotocol(offered: ReadonlySet<string>, known: readonly string[]): string | false {
  return known.find((name) => offered.has(name)) ?? false;
}
