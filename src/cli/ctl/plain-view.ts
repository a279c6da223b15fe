import type { Status } from '../../protocol/messages.ts';
import type { Event } from './api-client.ts';
import { oneLine } from '../text.ts';

/** The lines that tell an event where no terminal can redraw. */
export function plainLines(event: Event): string[] {
  switch (event.type) {
    case 'accepted':
      return ['accepted'];
    case 'agent':
      return [event.payload.connected ? 'the agent is back' : 'the agent is not connected; waiting for it'];
    case 'status':
      return statusLines(event.payload);
    case 'result':
      return [];
  }
}

function statusLines({ step, state, time, message, resources = [] }: Status): string[] {
  const at = `${time.slice(11, 19)}  ${step.padEnd(12)}`;
  const told = resources.map(({ kind, name, status, reason }) =>
    oneLine(`${kind}/${name} ${status}${reason === undefined ? '' : `: ${reason}`}`),
  );
  const lines = told.map((resource) => `${at}    ${resource}`);
  // That a step still runs is said by the resources it waits for.
  if (state === 'running' && message === undefined && lines.length > 0) return lines;
  return [`${at}  ${state}${message === undefined ? '' : `  ${oneLine(message)}`}`, ...lines];
}
