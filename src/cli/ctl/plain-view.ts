import type { Status } from '../../protocol/messages.ts';
import type { Event } from './api-client.ts';
import { evidenceLines } from './evidence-text.ts';
import { createLogView } from './log-text.ts';
import { progressText } from './progress-text.ts';
import { oneLine } from '../text.ts';

/**
 * Returns a function that turns each event into lines, for output that cannot be redrawn. It leaves
 * out lines that would only repeat what an earlier one says about the same step or resource.
 */
export function createPlainView(): (event: Event) => string[] {
  const shown = new ShownLines();
  const logLinesOf = createLogView();
  return (event) => {
    switch (event.type) {
      case 'accepted':
        return ['accepted'];
      case 'agent':
        return [
          event.payload.connected ? 'the agent is connected again' : 'the agent is not connected; waiting for it',
        ];
      case 'status':
        return statusLines(event.payload, shown);
      case 'evidence':
        return evidenceLines(event.payload);
      case 'log':
        return logLinesOf(event.payload);
      case 'result':
        return [];
    }
  };
}

/** The last text about each step and resource. */
class ShownLines {
  readonly #last = new Map<string, string>();

  /** Records the text about a subject. Returns whether it is new. */
  isNew(subject: string, text: string): boolean {
    if (this.#last.get(subject) === text) return false;
    this.#last.set(subject, text);
    return true;
  }
}

function statusLines({ step, state, time, message, resources = [] }: Status, shown: ShownLines): string[] {
  const at = `${time.slice(11, 19)}  ${step.padEnd(12)}`;
  const lines = resources.flatMap(({ kind, namespace = '', name, status, ...rest }) => {
    const found = progressText(rest);
    const text = oneLine(`${kind}/${name} ${status}${found === '' ? '' : `: ${found}`}`);
    return shown.isNew(`${step}/${kind}/${namespace}/${name}`, text) ? [`${at}    ${text}`] : [];
  });
  const text = `${state}${message === undefined ? '' : `  ${oneLine(message)}`}`;
  const isNew = shown.isNew(step, text);
  // the lines of its resources show that a step is running
  if (!isNew || (state === 'running' && message === undefined && lines.length > 0)) return lines;
  return [`${at}  ${text}`, ...lines];
}
