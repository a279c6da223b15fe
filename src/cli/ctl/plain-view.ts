import type { Event } from './api-client.ts';
import { oneLine } from '../text.ts';

/** The lines that tell an event where no terminal can redraw. */
export function plainLines(event: Event): string[] {
  switch (event.type) {
    case 'accepted':
      return ['accepted'];
    case 'agent':
      return [event.payload.connected ? 'the agent is back' : 'the agent is not connected; waiting for it'];
    case 'status': {
      const { step, state, time, message, resources = [] } = event.payload;
      const at = `${time.slice(11, 19)}  ${step.padEnd(12)}`;
      const line = `${at}  ${state}${message === undefined ? '' : `  ${oneLine(message)}`}`;
      const told = resources.map(({ kind, name, status, reason }) =>
        oneLine(`${kind}/${name} ${status}${reason === undefined ? '' : `: ${reason}`}`),
      );
      return [line, ...told.map((resource) => `${at}    ${resource}`)];
    }
    case 'result':
      return [];
  }
}
