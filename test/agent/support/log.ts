import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** Returns a logger that keeps every line. */
export function recordingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: pino({ level: 'trace' }, stream), lines };
}
