import type { Hello } from '../protocol/messages.ts';

/** An agent that is connected. */
export interface ConnectedAgent extends Hello {
  /** Time of the connection, in RFC 3339. */
  connectedAt: string;
}
