import type { WriteStream } from 'node:tty';
import type { Terminal } from '../cli/dependencies.ts';
import { toBytes } from '../go/text.ts';

/**
 * Returns a standard stream as a `Terminal`. Ends the process quietly when the reader of a pipe
 * closes it, as `| head` does.
 */
export function terminalOf(stream: NodeJS.WriteStream | WriteStream): Terminal {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    write: (text) => void stream.write(text.isWellFormed() ? text : toBytes(text)),
    isTerminal: stream.isTTY,
    get columns() {
      return stream.columns;
    },
  };
}
