import type { Terminal } from '../dependencies.ts';
import { advance, newProgress } from './progress.ts';
import { liveLines } from './live-view.ts';
import { plainLines } from './plain-view.ts';
import type { Event } from './api-client.ts';

/** Shows a command's events while they come. */
export interface Screen {
  show(event: Event): void;
}

/** A table that is redrawn where a person watches, lines elsewhere. */
export function createScreen(terminal: Terminal): Screen {
  if (!terminal.isTerminal) {
    return {
      show: (event) => {
        for (const line of plainLines(event)) terminal.write(`${line}\n`);
      },
    };
  }
  const progress = newProgress();
  let drawn = 0;
  return {
    show(event) {
      advance(progress, event);
      const lines = liveLines(progress, terminal.columns);
      // Up to the first line of the table, and clear all below.
      const erase = drawn > 0 ? `\u001b[${drawn}A\u001b[J` : '';
      terminal.write(erase + lines.map((line) => `${line}\n`).join(''));
      drawn = lines.length;
    },
  };
}
