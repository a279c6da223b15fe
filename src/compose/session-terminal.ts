import { once } from 'node:events';
import type { SessionTerminal } from '../cli/dependencies.ts';

/** Returns the standard streams of this process for a program that runs elsewhere. */
export function sessionTerminal(): SessionTerminal {
  const { stdin, stdout, stderr } = process;
  return {
    isTerminal: stdin.isTTY && stdout.isTTY,
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }), // 0 for some terminals
    onResize(listener) {
      stdout.on('resize', listener);
      return () => stdout.off('resize', listener);
    },
    startRaw() {
      stdin.setRawMode(true);
      return () => stdin.setRawMode(false);
    },
    input: () => stdin.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, // no encoding is set
    async write(to, bytes) {
      const stream = to === 'output' ? stdout : stderr;
      if (stream.destroyed) throw new Error('the output is closed');
      if (!stream.write(bytes)) await once(stream, 'drain');
    },
    close() {
      stdin.destroy();
    },
  };
}
