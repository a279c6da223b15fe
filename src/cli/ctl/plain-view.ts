import type { Status } from '../../protocol/messages.ts';
import { oneLine } from '../text.ts';
import type { Event } from './api-client.ts';
import { evidenceLines } from './evidence-text.ts';
import { createLogView } from './log-text.ts';
import { driftLines } from './output/drift.ts';
import { changeLines } from './output/objects.ts';
import { progressText } from './progress-text.ts';

/** Lines about a command, for output that cannot be redrawn. */
export interface PlainView {
  /**
   * Returns the lines of an event: the ends of steps, and resources that are ready or have failed.
   */
  linesOf: (event: Event) => string[];
  /** Returns the lines to print if nothing has happened for a second. */
  quietLines: () => string[];
}

export function createPlainView(): PlainView {
  const logLinesOf = createLogView();
  const steps = new StepLines();
  let isBegun = false;
  let isAccepted = false;
  let isWaitSaid = false;
  return {
    linesOf(event) {
      switch (event.type) {
        case 'accepted':
          isAccepted = true;
          return ['accepted'];
        case 'agent':
          isWaitSaid = true;
          return [
            event.payload.connected ? 'the agent is connected again' : 'the agent is not connected; waiting for it',
          ];
        case 'status':
          isBegun = true;
          return [
            ...steps.linesOf(event.payload),
            ...changeLines(event.payload.objects ?? []),
            ...(event.payload.drift ?? []).flatMap(driftLines),
          ];
        case 'evidence':
          return evidenceLines(event.payload);
        case 'log':
          return logLinesOf(event.payload);
        case 'result':
          isBegun = true; // there is nothing to wait for
          return [];
      }
    },
    quietLines() {
      if (isBegun) return steps.quietLines();
      if (!isAccepted) {
        const isNew = !isWaitSaid;
        isWaitSaid = true;
        return isNew ? ['waiting for the agent'] : [];
      }
      isBegun = true; // said once
      return ['no step has begun; the agent waits for its cluster, or for another command of the release'];
    },
  };
}

/** The lines of steps and resources. None is repeated. */
class StepLines {
  readonly #last = new Map<string, string>();
  /** Lines that are not shown yet, by their subjects. */
  readonly #running = new Map<string, string>();

  linesOf({ step, state, time, message, resources = [] }: Status): string[] {
    const at = `${time.slice(11, 19)}  ${step.padEnd(12)}`;
    const lines = resources.flatMap(({ kind, namespace = '', name, status, ...rest }) => {
      const found = progressText(rest);
      const text = oneLine(`${kind}/${name} ${status}${found === '' ? '' : `: ${found}`}`);
      return this.#show(`${step}/${kind}/${namespace}/${name}`, `${at}    ${text}`, text, status === 'InProgress');
    });
    if (state !== 'running') this.#forget(step);
    if (state === 'skipped') return lines;
    // the result says why a step has failed
    const text = state === 'failed' || message === undefined ? state : `${state}  ${oneLine(message)}`;
    // the lines of its resources show that a step is running
    // a message that is one word names a step of an undoing
    const isPending = state === 'running' && (message === undefined || /^[\w-]+$/.test(message));
    if (isPending && resources.length > 0) return lines;
    return [...this.#show(step, `${at}  ${text}`, text, isPending), ...lines];
  }

  quietLines(): string[] {
    const lines = [...this.#running.values()];
    this.#running.clear();
    return lines;
  }

  /** Returns the line if it is new, unless it is shown only while nothing else happens. */
  #show(subject: string, line: string, text: string, isPending: boolean): string[] {
    if (this.#last.get(subject) === text) return [];
    this.#running.delete(subject);
    this.#last.set(subject, text);
    if (!isPending) return [line];
    this.#running.set(subject, line);
    return [];
  }

  /** Drops the pending lines of a step and its resources. */
  #forget(step: string): void {
    for (const subject of this.#running.keys()) {
      if (subject === step || subject.startsWith(`${step}/`)) this.#running.delete(subject);
    }
  }
}
