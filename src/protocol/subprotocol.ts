/** The WebSocket subprotocol of this project's packets. A peer that does not select it is spoken to as the Go helm-agent speaks. */
export const SUBPROTOCOL = 'helm-agent.v1';

/** How a connection speaks: with this project's packets, or as the Go helm-agent. */
export type WireForm = 'v1' | 'plain';

/** Which form a connection has, by the subprotocol that its handshake settled on. */
export function wireForm(selected: string): WireForm {
  return selected === SUBPROTOCOL ? 'v1' : 'plain';
}

/** For a WebSocket server: the subprotocol to select among those that a client offers. */
export function selectSubprotocol(offered: Set<string>): string | false {
  return offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false;
}
