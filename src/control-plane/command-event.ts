import type { Accepted, Result, Status } from '../protocol/messages.ts';

/** One thing that happened to a command. `id` counts a command's events from 1. */
export type CommandEvent = { id: number } & (
  | { type: 'accepted'; payload: Accepted }
  | { type: 'status'; payload: Status }
  /** The agent went away while the command was under way, or came back. */
  | { type: 'agent'; payload: { connected: boolean } }
  | { type: 'result'; payload: Result }
);

/** An event before it has its number. */
export type NewEvent = CommandEvent extends infer Event
  ? Event extends CommandEvent
    ? Omit<Event, 'id'>
    : never
  : never;
