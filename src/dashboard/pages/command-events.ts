import type { Evidence } from '../../protocol/evidence.ts';
import type { Log } from '../../protocol/log.ts';
import type { Result } from '../../protocol/messages.ts';
import { advance, type CommandProgress, newProgress, type ProgressEvent } from '../../protocol/progress.ts';
import { foreignName } from '../text/foreign-text.ts';

/** An event of a command as the control plane sends it. */
export type CommandEvent =
  | ProgressEvent
  | { type: 'evidence'; payload: Evidence }
  | { type: 'log'; payload: Log }
  | { type: 'result'; payload: Result };

/** All that is shown of a command while it runs. */
export interface CommandView {
  readonly progress: CommandProgress;
  evidence: Evidence | undefined;
  /** The newest last. */
  logLines: string[];
  result: Result | undefined;
}

/** The most lines of logs that are kept. */
export const maxLogLines = 5000;

export function newCommandView(): CommandView {
  return { progress: newProgress(), evidence: undefined, logLines: [], result: undefined };
}

/** Adds an event to a view. */
export function addCommandEvent(view: CommandView, event: CommandEvent): void {
  advance(view.progress, event);
  if (!('payload' in event)) return;
  if (event.type === 'evidence') view.evidence = event.payload;
  else if (event.type === 'result') view.result = event.payload;
  else if (event.type === 'log') {
    const { pod, container, lines, omitted } = event.payload;
    const prefix = foreignName(`${pod}/${container}`);
    view.logLines.push(...lines.slice(-maxLogLines).map((line) => `${prefix}  ${foreignName(line, 4000)}`));
    if (omitted) view.logLines.push(`${prefix}  … ${omitted.lines} lines are left out`);
    if (view.logLines.length > maxLogLines) view.logLines = view.logLines.slice(-maxLogLines);
  }
}
