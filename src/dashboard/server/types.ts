import type { Hello } from '../../protocol/messages.ts';
import type { Role } from './session.ts';

/** An agent as `GET /api/agents` returns it. */
export interface Agent extends Partial<Pick<Hello, 'version' | 'capabilities' | 'instanceId' | 'durable'>> {
  readonly agentId: string;
  readonly connected: boolean;
  /** RFC 3339; null if it was never connected. */
  readonly lastSeen: string | null;
  /** RFC 3339. */
  readonly connectedAt?: string;
  /** Whether the API server of its cluster responds. */
  readonly cluster?: { readonly reachable: boolean; readonly since: string; readonly reason?: string };
  readonly enrolment?: Enrolment;
}

/** How far the enrolment of an agent is. */
interface Enrolment {
  readonly states: readonly ('invited' | 'pending' | 'enrolled')[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Why a connection was refused last. */
  readonly problem?: string;
}

/** How far a command is. */
export type CommandState = 'waiting' | 'sent' | 'accepted' | 'done';

/** A command as `GET /api/commands` lists it. */
export interface ListedCommand {
  readonly key: string;
  readonly agentId: string;
  readonly type: string;
  readonly state: CommandState;
  readonly sentBy?: string;
  readonly namespace?: string;
  readonly releaseName?: string;
  /** RFC 3339. */
  readonly createdAt?: string;
}

/** A page of `GET /api/commands`. */
export interface CommandPage {
  readonly commands: readonly ListedCommand[];
  /** The cursor of the next page. */
  readonly next?: string;
}

/** A token of a user as `GET /api/tokens` lists it. Times are in RFC 3339. */
export interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly createdBy?: string;
}
