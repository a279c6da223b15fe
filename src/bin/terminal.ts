import type { WriteStream } from 'node:tty';
import type { Terminal } from '../cli/dependencies.ts';

/** A standard stream as the program writes to it. */
export function terminalOf(stream: NodeJS.WriteStream | WriteStream): Terminal {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY,
    get columns() {
      return stream.columns;
    },
  };
}
