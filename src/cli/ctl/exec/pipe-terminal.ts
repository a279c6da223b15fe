import type { SessionTerminal } from '../../dependencies.ts';

/** Returns a session without a terminal. Default: its input is empty, and its output is dropped. */
export function pipeTerminal({ input, write }: Partial<Pick<SessionTerminal, 'input' | 'write'>>): SessionTerminal {
  return {
    isTerminal: false,
    size: () => ({ columns: 80, rows: 24 }),
    onResize: () => () => undefined,
    startRaw: () => () => undefined,
    input: input ?? noInput,
    write: write ?? (() => Promise.resolve()),
    close: () => undefined,
  };
}

async function* noInput(): AsyncGenerator<Uint8Array> {
  // it is empty
}
