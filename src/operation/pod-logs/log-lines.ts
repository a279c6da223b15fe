/** The end of what was read of the log of a container. Times are in UTC, with nanoseconds. */
export interface LogPosition {
  /** Time of the newest line; empty if there was none. */
  time: string;
  /** Number of complete lines whose times are not before {@link sinceOf} this position. */
  lines: number;
  /** Bytes of the line after them that were read. Default: 0. */
  bytes?: number | undefined;
  /** Lines before this time are left out. Default: none. */
  start?: string | undefined;
}

const newline = 0x0a;
const space = 0x20;

/** Most bytes of a line that are held until it is complete. A longer one is passed on in parts. */
const maxHeld = 64 * 1024;

/** Longest time before a line, with the space after it. */
const maxTimeLength = 40;

const timeFormat = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Returns the time before a line in a form that sorts as text; undefined for other text. */
export function utcTime(text: string): string | undefined {
  const [, whole = '', fraction = '', zone = ''] = timeFormat.exec(text) ?? [];
  if (whole === '') return undefined;
  const seconds = zone === 'Z' ? whole : secondsText(Date.parse(`${whole}${zone}`));
  return `${seconds}.${fraction.padEnd(9, '0')}Z`;
}

/**
 * Returns the time from which a log is read to continue at a position, in whole seconds as the API
 * server compares them: a second earlier, because the streams of a container are not in the exact
 * order of their times. Undefined: from its start.
 */
export function sinceOf({ time, start = '' }: LogPosition): string | undefined {
  if (time === '') return start === '' ? undefined : `${start.slice(0, 19)}Z`;
  const from = oldestSecond(time);
  const first = start.slice(0, 19);
  return `${from < first ? first : from}Z`;
}

function secondsText(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? '' : new Date(milliseconds).toISOString().slice(0, 19);
}

export interface LogLinesOptions {
  /** Where to continue. Default: at the first line that is read. */
  position?: LogPosition | undefined;
  /** Whether the log starts at the first line that is read, as a tail does. Default: false. */
  startsAtFirst?: boolean;
  /** Whether lines keep their times. Default: false. */
  timestamps?: boolean | undefined;
}

/** The present line, of which a part was read. */
interface OpenLine {
  /** Empty if it has none. */
  time: string;
  /** Number of its next bytes that were read before. */
  known: number;
}

/**
 * Takes the times from the lines of a log, leaves out the lines before a position, and knows the
 * position of what it has returned. Bytes stay as they are.
 */
export class LogLines {
  readonly #keepsTimes: boolean;
  #startsAtFirst: boolean;
  #isElsewhere = false;
  /** The position to continue at, until a line after it is found. */
  #sought: LogPosition | undefined;
  /** Number of lines up to it that were found. */
  #found = 0;
  #start: string;
  #newest = '';
  /** Numbers of complete lines by second, of the newest seconds. */
  readonly #counts = new Map<string, number>();
  #line: OpenLine | undefined;
  /** Bytes of the present line that were returned, now or before. */
  #bytes = 0;
  #held: Uint8Array[] = [];
  #heldLength = 0;

  constructor({ position, startsAtFirst = false, timestamps = false }: LogLinesOptions = {}) {
    this.#keepsTimes = timestamps;
    this.#startsAtFirst = startsAtFirst;
    this.#sought = position;
    this.#start = position?.start ?? '';
  }

  /**
   * Whether no line before the position to continue at was found: the log was rotated, or is that
   * of a later run.
   */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** Whether no line at all was found, though there is a position to continue at. */
  get isUnfound(): boolean {
    return this.#found === 0 && (this.#sought?.lines ?? 0) > 0;
  }

  /** Whether the last line has no line break so far. */
  get isInLine(): boolean {
    return this.#heldLength > 0 || this.#line !== undefined;
  }

  /** The position after what was returned. */
  get position(): LogPosition {
    if (this.#sought) return this.#sought;
    const lines = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    return {
      ...{ time: this.#newest, lines },
      ...(this.#bytes > 0 && { bytes: this.#bytes }),
      ...(this.#start !== '' && { start: this.#start }),
    };
  }

  /** Returns what is new in the next bytes of the log, up to the end of its last complete line. */
  push(chunk: Uint8Array): Buffer {
    this.#held.push(chunk);
    this.#heldLength += chunk.length;
    if (this.#heldLength <= maxHeld && !chunk.includes(newline)) return Buffer.alloc(0);
    return this.#take(false);
  }

  /** Returns the last line if it has no line break. Call it only if the log has ended. */
  end(): Buffer {
    return this.#take(true);
  }

  #take(isEnd: boolean): Buffer {
    const data = Buffer.concat(this.#held);
    const parts: Buffer[] = [];
    let at = 0;
    while (at < data.length) {
      const end = data.indexOf(newline, at);
      if (end < 0 && !isEnd && data.length - at <= maxHeld) break;
      const part = data.subarray(at, end < 0 ? data.length : end + 1);
      parts.push(this.#freshOf(part, end >= 0));
      at += part.length;
    }
    this.#held = at < data.length ? [data.subarray(at)] : [];
    this.#heldLength = data.length - at;
    return Buffer.concat(parts);
  }

  /** Returns what is new in a line, or in a part of one. */
  #freshOf(part: Buffer, isComplete: boolean): Buffer {
    const stamp = this.#line === undefined ? timeOf(part) : { time: '', length: 0 };
    const line = (this.#line ??= this.#open(stamp.time));
    const content = part.subarray(stamp.length);
    const fresh = content.subarray(Math.min(line.known, content.length));
    const isNew = line.known === 0;
    line.known = Math.max(0, line.known - content.length);
    if (line.time !== '') this.#bytes += fresh.length;
    if (isComplete) this.#close(line);
    return this.#keepsTimes && isNew ? part : fresh;
  }

  #open(time: string): OpenLine {
    const sought = this.#sought;
    // the end of a line whose beginning is not shown has no time
    if (time === '') return { time, known: sought !== undefined && sought.time !== '' ? Infinity : 0 };
    const isOld = sought !== undefined && time <= sought.time;
    if (time < this.#start || (isOld && this.#found < sought.lines)) return { time, known: Infinity };
    if (sought !== undefined && sought.lines > 0 && this.#found === 0) this.#isElsewhere = true;
    this.#sought = undefined;
    if (this.#startsAtFirst) this.#start = time;
    this.#startsAtFirst = false;
    this.#see(time);
    this.#bytes = isOld ? (sought.bytes ?? 0) : 0;
    return { time, known: this.#bytes };
  }

  #close({ time, known }: OpenLine): void {
    this.#line = undefined;
    this.#bytes = 0;
    if (time === '' || time < this.#start) return;
    if (known === Infinity) this.#found += 1;
    this.#see(time);
    const second = time.slice(0, 19);
    if (second >= oldestSecond(this.#newest)) this.#counts.set(second, (this.#counts.get(second) ?? 0) + 1);
  }

  /** Forgets the lines before the newest seconds. */
  #see(time: string): void {
    if (time <= this.#newest) return;
    const isSame = time.slice(0, 19) === this.#newest.slice(0, 19);
    this.#newest = time;
    if (isSame) return;
    const oldest = oldestSecond(time);
    for (const second of this.#counts.keys()) if (second < oldest) this.#counts.delete(second);
    if (this.#start.slice(0, 19) < oldest) this.#start = '';
  }
}

function oldestSecond(time: string): string {
  return secondsText(Date.parse(time) - 1000);
}

/** Returns the time at the start of a line, and its length with the space after it. */
function timeOf(part: Buffer): { time: string; length: number } {
  const end = part.subarray(0, maxTimeLength).indexOf(space);
  const time = end < 0 ? undefined : utcTime(part.toString('latin1', 0, end));
  return time === undefined ? { time: '', length: 0 } : { time, length: end + 1 };
}
