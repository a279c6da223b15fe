import { advance, newProgress } from '../../protocol/progress.ts';
import type { Terminal } from '../dependencies.ts';
import type { Event } from './api-client.ts';
import { evidenceLines } from './evidence-text.ts';
import { liveLines } from './live-view.ts';
import { createLogView } from './log-text.ts';
import { driftLines } from './output/drift.ts';
import { changeLines } from './output/objects.ts';
import { createPlainView } from './plain-view.ts';

/** Shows the events of a command as they arrive. */
export interface Screen {
  show(event: Event): void;
  /** Writes a line that is not about an event. */
  say(line: string): void;
  /** Ends the redrawing. */
  close(): void;
}

const nothing = () => undefined;

/** Time after which it is shown how things are if nothing happens, in milliseconds. */
const redrawInterval = 1000;

type Output = Pick<Terminal, 'write'>;

/** Returns a screen that shows no events. */
export function silentScreen(terminal: Output): Screen {
  return { show: nothing, say: (line) => terminal.write(`${line}\n`), close: nothing };
}

/** Returns a screen that writes each event as a line of JSON, and other lines to the terminal. */
export function jsonScreen(output: Output, terminal: Output): Screen {
  return { ...silentScreen(terminal), show: (event) => output.write(`${JSON.stringify(event)}\n`) };
}

/**
 * Returns a screen that redraws a table on a terminal, and writes lines elsewhere.
 *
 * @param changes Output for changes that are watched. Default: `terminal`
 */
export function createScreen(terminal: Terminal, changes = terminal): Screen {
  return changes.isTerminal ? liveScreen(changes) : plainScreen(terminal, changes);
}

function plainScreen(terminal: Terminal, changes: Terminal): Screen {
  const view = createPlainView();
  const write = (output: Terminal, lines: readonly string[]) => {
    output.write(lines.map((line) => `${line}\n`).join(''));
  };
  const timer = setTimeout(() => write(terminal, view.quietLines()), redrawInterval);
  return {
    show(event) {
      write(event.type === 'status' ? changes : terminal, view.linesOf(event));
      timer.refresh();
    },
    say: (line) => write(terminal, [line]),
    close() {
      clearTimeout(timer);
    },
  };
}

function liveScreen(terminal: Terminal): Screen {
  const progress = newProgress();
  let drawn = 0;
  let redraws = 0;
  let isEnded = false;
  function draw(above: readonly string[]): void {
    // the last line of a terminal stays free, for the cursor
    const lines = liveLines(progress, terminal.columns, redraws * redrawInterval).slice(0, terminal.rows - 1);
    terminal.erase(drawn);
    terminal.write([...above, ...lines].map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  }
  const logLinesOf = createLogView();
  function linesAbove(event: Event): string[] {
    if (event.type === 'status')
      return [...changeLines(event.payload.objects ?? []), ...(event.payload.drift ?? []).flatMap(driftLines)];
    if (event.type === 'evidence') return evidenceLines(event.payload);
    return event.type === 'log' ? logLinesOf(event.payload) : [];
  }
  const timer = setInterval(() => {
    redraws += 1;
    if (!isEnded) draw([]);
  }, redrawInterval);
  return {
    show(event) {
      advance(progress, event);
      if (event.type === 'accepted' || event.type === 'status') redraws = 0;
      isEnded = event.type === 'result';
      draw(linesAbove(event));
    },
    say: (line) => draw([line]),
    close() {
      clearInterval(timer);
    },
  };
}
