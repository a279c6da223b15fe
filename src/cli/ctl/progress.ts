import type { Status } from '../../protocol/messages.ts';
import type { Event } from './api-client.ts';

export interface StepProgress {
  name: string;
  state: Status['state'];
  /** RFC 3339. */
  started: string;
  changed: string;
  message: string | undefined;
}

export type ResourceProgress = NonNullable<Status['resources']>[number];

/** What is known of a command that is under way. */
export interface CommandProgress {
  accepted: boolean;
  agentConnected: boolean;
  steps: StepProgress[];
  /** Those that are waited for, by kind and name, in the order in which they were first named. */
  resources: Map<string, ResourceProgress>;
  /** How many status packets did not arrive. */
  missed: number;
  lastSeq: number;
}

export function newProgress(): CommandProgress {
  return { accepted: false, agentConnected: true, steps: [], resources: new Map(), missed: 0, lastSeq: 0 };
}

/** Takes an event in. */
export function advance(progress: CommandProgress, event: Event): void {
  switch (event.type) {
    case 'accepted':
      progress.accepted = true;
      return;
    case 'agent':
      progress.agentConnected = event.payload.connected;
      return;
    case 'status': {
      takeStatus(progress, event.payload);
      return;
    }
    case 'result':
      return;
  }
}

function takeStatus(progress: CommandProgress, status: Status): void {
  progress.missed += Math.max(0, status.seq - progress.lastSeq - 1);
  progress.lastSeq = status.seq;
  const { step, state, time, message } = status;
  const last = progress.steps.findLast(({ name }) => name === step);
  if (last?.state === 'running') Object.assign(last, { state, changed: time, message: message ?? last.message });
  else progress.steps.push({ name: step, state, started: time, changed: time, message });
  for (const resource of status.resources ?? []) {
    progress.resources.set(`${resource.kind}/${resource.namespace ?? ''}/${resource.name}`, resource);
  }
}
