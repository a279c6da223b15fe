import type { LogCursor, LogRecord } from '../../../protocol/streams/log-records.ts';
import { oneLine, printable } from '../../text.ts';

export interface LogPrinterOptions {
  /** Whether lines start with their pod and container. */
  hasPrefix: boolean;
  /** Whether the output is a terminal, which gets colors and no control characters. */
  isTerminal: boolean;
}

const newline = 0x0a;

/** Colors of prefixes. */
const colors = [36, 33, 32, 35, 34, 31];

/** Returns a function that returns the bytes to print for each record. */
export function logPrinter({ hasPrefix, isTerminal }: LogPrinterOptions): (record: LogRecord) => Uint8Array {
  const colorsOf = new Map<string, number>();
  let last: LogCursor | undefined;
  let isOpen = false;

  function prefixOf(name: string): string {
    if (!isTerminal) return `[${name}] `;
    const color = colorsOf.get(name) ?? colors[colorsOf.size % colors.length] ?? 0;
    colorsOf.set(name, color);
    return `\u001b[${color}m[${oneLine(name)}]\u001b[0m `;
  }

  const shown = (line: Buffer) => (isTerminal ? Buffer.from(printable(line.toString())) : line);

  return ({ cursor, bytes }) => {
    if (bytes.length === 0 || cursor === undefined) return Buffer.alloc(0);
    const isSame = last !== undefined && isSameRun(last, cursor);
    // another container, or the run before, has left its line without an end
    const parts: Buffer[] = isOpen && !isSame ? [Buffer.from('\n')] : [];
    let needsPrefix = !(isOpen && isSame);
    isOpen = bytes.at(-1) !== newline;
    last = cursor;
    if (!hasPrefix) return Buffer.concat([...parts, shown(bytes)]);
    const prefix = Buffer.from(prefixOf(`pod/${cursor.pod}/${cursor.container}`));
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(newline, at);
      const next = end < 0 ? bytes.length : end + 1;
      if (needsPrefix) parts.push(prefix);
      parts.push(shown(bytes.subarray(at, next)));
      needsPrefix = true;
      at = next;
    }
    return Buffer.concat(parts);
  };
}

function isSameRun(one: LogCursor, other: LogCursor): boolean {
  return one.uid === other.uid && one.run === other.run && one.container === other.container;
}
