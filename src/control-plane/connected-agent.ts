import type { Health, Hello } from '../protocol/messages.ts';

/** An agent that is connected. */
export interface ConnectedAgent extends Hello, Partial<Health> {
  /** Time of the connection, in RFC 3339. */
  connectedAt: string;
}
