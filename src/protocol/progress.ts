import type { Status } from './messages.ts';

/** The events of a command that its progress is built from. */
export type ProgressEvent =
  | { type: 'accepted' | 'evidence' | 'log' | 'result' }
  | { type: 'agent'; payload: { connected: boolean } }
  | { type: 'status'; payload: Status };

export interface StepProgress {
  name: string;
  state: Status['state'];
  /** RFC 3339. */
  started: string;
  changed: string;
  message: string | undefined;
}

export type ResourceProgress = NonNullable<Status['resources']>[number];

/** State of a command, built from its events. */
export interface CommandProgress {
  accepted: boolean;
  agentConnected: boolean;
  steps: StepProgress[];
  /** Resources that the command waits for, by kind and name, in the order of their first event. */
  resources: Map<string, ResourceProgress>;
  /** When the operation ends if it takes as long as the one before. RFC 3339. */
  estimate: string | undefined;
  /** Time of the agent's clock at which the last status packet was sent. RFC 3339. */
  time: string | undefined;
  /** Number of status packets that did not arrive. */
  missed: number;
  lastSeq: number;
}

export function newProgress(): CommandProgress {
  return {
    ...{ accepted: false, agentConnected: true, steps: [], resources: new Map(), missed: 0, lastSeq: 0 },
    ...{ estimate: undefined, time: undefined },
  };
}

/** Updates the progress with an event. */
export function advance(progress: CommandProgress, event: ProgressEvent): void {
  switch (event.type) {
    case 'accepted':
      progress.accepted = true;
      return;
    case 'agent':
      progress.agentConnected = event.payload.connected;
      return;
    case 'status':
      addStatus(progress, event.payload);
      return;
    case 'evidence':
    case 'log':
    case 'result':
      return;
  }
}

function addStatus(progress: CommandProgress, status: Status): void {
  progress.missed += Math.max(0, status.seq - progress.lastSeq - 1);
  progress.lastSeq = status.seq;
  const { step, state, time, message } = status;
  progress.time = time;
  progress.estimate = status.estimate ?? progress.estimate;
  const last = progress.steps.findLast(({ name }) => name === step);
  if (last?.state === 'running') Object.assign(last, { state, changed: time, message: message ?? last.message });
  else progress.steps.push({ name: step, state, started: time, changed: time, message });
  for (const resource of status.resources ?? []) {
    progress.resources.set(`${resource.kind}/${resource.namespace ?? ''}/${resource.name}`, resource);
  }
}
