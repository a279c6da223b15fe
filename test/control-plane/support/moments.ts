/** Moments in the life of a command at which a control plane can end, in their order. */
export const moments = [
  'before it is stored',
  'stored, not sent',
  'sent, not accepted',
  'accepted, not stored',
  'accepted',
  'with three statuses',
  'result received, not stored',
  'result stored, not delivered',
  'delivered, not marked',
  'marked, not stored',
] as const;

export type Moment = (typeof moments)[number];

/** The message that makes a control plane in a process of its own kill itself. */
export interface Arming {
  /** Key of the command in whose life the process kills itself. */
  key: string;
  moment: Moment;
}

/** The message of a control plane that listens. */
export interface Listening {
  port: number;
}

/** A line of the file to which the application writes each result that it gets. */
export interface Delivery {
  process: number;
  id: number;
  key: string;
  ok: boolean;
}
