import type { Terminal } from '../dependencies.ts';
import { advance, newProgress } from './progress.ts';
import { evidenceLines } from './evidence-text.ts';
import { createLogView } from './log-text.ts';
import { liveLines } from './live-view.ts';
import { createPlainView } from './plain-view.ts';
import type { Event } from './api-client.ts';

/** Shows the events of a command as they arrive. */
export interface Screen {
  show(event: Event): void;
  /** Ends the redrawing. */
  close(): void;
}

const nothing = () => undefined;

export const silentScreen: Screen = { show: nothing, close: nothing };

/** Returns a screen that writes each event as a line of JSON. */
export function jsonScreen(output: Pick<Terminal, 'write'>): Screen {
  return {
    show(event) {
      output.write(`${JSON.stringify(event)}\n`);
    },
    close: nothing,
  };
}

/** Returns a screen that redraws a table on a terminal, and writes lines elsewhere. */
export function createScreen(terminal: Terminal): Screen {
  return terminal.isTerminal ? liveScreen(terminal) : plainScreen(terminal);
}

function plainScreen(terminal: Terminal): Screen {
  const linesOf = createPlainView();
  return {
    show(event) {
      for (const line of linesOf(event)) terminal.write(`${line}\n`);
    },
    close: nothing,
  };
}

/** Time after which ages are drawn again, in milliseconds. */
const redrawInterval = 1000;

function liveScreen(terminal: Terminal): Screen {
  const progress = newProgress();
  let drawn = 0;
  let redraws = 0;
  function draw(above: readonly string[]): void {
    const lines = liveLines(progress, terminal.columns, redraws * redrawInterval);
    // move up to the first line of the table, and clear everything below
    const erase = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : '';
    terminal.write(erase + [...above, ...lines].map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  }
  const logLinesOf = createLogView();
  function linesAbove(event: Event): string[] {
    if (event.type === 'evidence') return evidenceLines(event.payload);
    return event.type === 'log' ? logLinesOf(event.payload) : [];
  }
  const timer = setInterval(() => {
    redraws += 1;
    if (drawn > 0) draw([]);
  }, redrawInterval);
  return {
    show(event) {
      advance(progress, event);
      if (event.type === 'status') redraws = 0;
      draw(linesAbove(event));
    },
    close() {
      clearInterval(timer);
    },
  };
}
