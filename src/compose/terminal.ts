import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import type { Terminal } from '../cli/dependencies.ts';
import { printable } from '../cli/text.ts';
import { toBytes } from '../go/text.ts';

/** Errors of a write that no one can read: the end of a pipe, or a terminal that is gone. */
const closedCodes = new Set(['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/**
 * Returns a standard stream as a `Terminal`. If its reader closes it, as `| head` does, the process
 * continues without it, so that its exit code is still that of its work. If it cannot be written
 * for another reason, such as a full disk, the process fails at its end.
 */
export function terminalOf(stream: NodeJS.WriteStream | WriteStream): Terminal {
  const closed = new AbortController();
  stream.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
    if (closed.signal.aborted) return;
    closed.abort();
    if (closedCodes.has(code)) return;
    process.once('exit', (exitCode) => {
      if (exitCode === 0) process.exitCode = 1;
    });
    if (stream !== process.stderr) process.stderr.write(`Error: cannot write the output: ${message}\n`);
  });
  const write = (text: string) => {
    if (!closed.signal.aborted) stream.write(text.isWellFormed() ? text : toBytes(text));
  };
  return {
    write(text) {
      write(stream.isTTY ? printable(text) : text);
    },
    async writeBytes(bytes) {
      if (closed.signal.aborted || stream.write(bytes)) return;
      await once(stream, 'drain', { signal: closed.signal }).catch((error: unknown) => {
        if (!closed.signal.aborted) throw error;
      });
    },
    erase(lines) {
      if (lines > 0) write(`\u001b[${lines}A\r\u001b[J`);
    },
    end() {
      if (stream.isTTY || closed.signal.aborted) return;
      stream.write('', () => {
        if (!('fd' in stream) || typeof stream.fd !== 'number') return;
        closeSync(stream.fd);
        openSync('/dev/null', 'w'); // takes the number, which another file could have otherwise
      });
    },
    isTerminal: stream.isTTY,
    closed: closed.signal,
    get columns() {
      return stream.columns || 80; // 0 for some terminals
    },
    get rows() {
      return stream.rows || 24;
    },
  };
}
