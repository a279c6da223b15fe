import type { LogLines, LogSource } from '../progress.ts';
import type { StartTimer } from '../time-limit.ts';
import type { LogBudget } from './log-budget.ts';

/** Time for which lines are reported together, in milliseconds. */
const reportInterval = 200;

/** Bytes of a packet around its lines, about. */
const packetBytes = 256;

/** Bytes around a line: quotes, a comma and escapes. */
const lineBytes = 8;

/** Longest line that is reported, in UTF-16 units. */
const maxLineLength = 4096;

/** UTF-16 units that are read between two reports, of which all beyond the budget is left out. */
const maxReadLength = 256 * 1024;

export interface LogReportsOptions {
  budget: LogBudget;
  /** Replaces secrets in a text. */
  redact: (text: string) => Promise<string>;
  report: (log: LogLines) => void;
  startTimer: StartTimer;
}

/** Reports the lines of containers, several at a time, within the budget. */
export interface LogReports {
  /** Whether the budget is spent, so that nothing more needs to be read. */
  readonly isFull: boolean;
  add(source: LogSource, line: string): void;
  /** Resolves when more may be read: at once, or after the next report. */
  room(): Promise<void>;
  /** Reports what is left. Resolves when it is reported. Never rejects. */
  close(): Promise<void>;
}

interface Pending {
  source: LogSource;
  lines: string[];
  omitted: { lines: number; bytes: number };
}

export function createLogReports({ budget, redact, report, startTimer }: LogReportsOptions): LogReports {
  const pending = new Map<string, Pending>();
  let waiting: (() => void)[] = [];
  let length = 0;
  let reported = Promise.resolve();
  let stopTimer: (() => void) | undefined;
  let hasSaidFull = false;

  function flush(): void {
    stopTimer?.();
    stopTimer = undefined;
    const logs = [...pending.values()].flatMap((one) => {
      if (hasSaidFull) return [];
      hasSaidFull = budget.isSpent;
      return { ...one, isFull: budget.isSpent };
    });
    const read = length;
    pending.clear();
    // one after the other, so that the order stays
    reported = reported.then(async () => {
      for (const log of logs) report(await reportOf(log));
      length -= read;
      for (const resolve of waiting.splice(0)) resolve();
    });
  }

  async function reportOf({ source, lines, omitted, isFull }: Pending & { isFull: boolean }): Promise<LogLines> {
    const shown = lines.length === 0 ? [] : await redacted(lines, redact).catch(() => undefined);
    // lines whose secrets are not known are left out
    const left = shown === undefined ? withLines(omitted, lines) : omitted;
    return { ...source, lines: shown ?? [], ...(left.lines > 0 && { omitted: left }), ...(isFull && { isFull }) };
  }

  return {
    get isFull() {
      return budget.isSpent;
    },
    add(source, line) {
      const key = JSON.stringify([source.resource.kind, source.resource.name, source.pod, source.container]);
      const found = pending.get(key) ?? { source, lines: [], omitted: { lines: 0, bytes: 0 } };
      const bytes = Buffer.byteLength(line);
      const cost = Math.min(bytes, maxLineLength) + lineBytes + (pending.has(key) ? 0 : packetBytes);
      pending.set(key, found);
      length += line.length;
      // lines that follow omitted ones wait for the next report, so that the order is clear
      if (found.omitted.lines === 0 && budget.take(cost)) found.lines.push(line);
      else {
        found.omitted.lines += 1;
        found.omitted.bytes += bytes + 1;
      }
      stopTimer ??= startTimer(reportInterval, flush);
    },
    async room() {
      if (length >= maxReadLength) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async close() {
      flush();
      await reported;
      waiting = [];
    },
  };
}

/** Redacts lines together, because a secret may have several. */
async function redacted(lines: readonly string[], redact: LogReportsOptions['redact']): Promise<string[]> {
  return (await redact(lines.join('\n'))).split('\n').map(shortened);
}

function withLines(omitted: Pending['omitted'], lines: readonly string[]): Pending['omitted'] {
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return { lines: omitted.lines + lines.length, bytes: omitted.bytes + bytes };
}

function shortened(line: string): string {
  const left = line.length - maxLineLength;
  return left <= 0 ? line : `${line.slice(0, maxLineLength).toWellFormed()}… (${left} characters are left out)`;
}
