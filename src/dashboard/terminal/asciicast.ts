import type { TerminalSize } from './screen.ts';

/** A recording, as asciicast v2 has it. */
export interface Recording {
  readonly size: TerminalSize;
  readonly events: readonly RecordedEvent[];
  /** Whether the recording has more than is kept. */
  readonly isCut: boolean;
}

export type RecordedEvent = { readonly at: number } & (
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'size'; readonly size: TerminalSize }
  | { readonly type: 'mark'; readonly text: string }
);

/** The most of a recording that a page keeps. */
export interface RecordingLimits {
  readonly bytes: number;
  readonly events: number;
}

const defaultLimits: RecordingLimits = { bytes: 32 * 1024 * 1024, events: 500_000 };

/**
 * Reads a recording. Lines that are not events are left out, as is what is beyond the limits.
 * Rejects if it has no header.
 */
export async function readRecording(
  chunks: AsyncIterable<Uint8Array>,
  limits: RecordingLimits = defaultLimits,
): Promise<Recording> {
  const decoder = new TextDecoder();
  const events: RecordedEvent[] = [];
  let size: TerminalSize | undefined;
  let open = '';
  let bytes = 0;
  let isCut = false;
  const add = (line: string) => {
    if (line === '') return;
    const value = parsed(line);
    if (size) {
      const event = eventOf(value, events.at(-1)?.at ?? 0);
      if (event) events.push(event);
    } else size = sizeOfHeader(value);
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const lines = (open + decoder.decode(chunk, { stream: true })).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) add(line);
    isCut = bytes > limits.bytes || events.length > limits.events;
    if (isCut) break;
  }
  if (!isCut) add(open);
  if (!size) throw new Error('the recording is empty');
  return { size, events, isCut };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the last line of a recording that was cut off
  }
}

function sizeOfHeader(header: unknown): TerminalSize {
  if (typeof header === 'object' && header !== null && 'width' in header && 'height' in header) {
    const { width, height } = header;
    if (typeof width === 'number' && typeof height === 'number') return { columns: width, rows: height };
  }
  throw new Error('the recording is not asciicast v2');
}

/** Returns an event. Its time is not before that of the event before it. */
function eventOf(value: unknown, earliest: number): RecordedEvent | undefined {
  if (!Array.isArray(value)) return undefined;
  const [time, code, data] = value as unknown[];
  if (typeof time !== 'number' || !Number.isFinite(time) || typeof data !== 'string') return undefined;
  const at = Math.max(earliest, time * 1000);
  if (code === 'o') return { at, type: 'output', text: data };
  if (code === 'm') return { at, type: 'mark', text: data };
  const [, columns, rows] = (code === 'r' && /^(\d{1,4})x(\d{1,4})$/.exec(data)) || [];
  return columns === undefined
    ? undefined
    : { at, type: 'size', size: { columns: Number(columns), rows: Number(rows) } };
}

/** The longest pause that remains of a recording whose pauses are left out, in milliseconds. */
const longestPauseMs = 1000;

/** Returns the events with their long pauses made short. */
export function withoutPauses(events: readonly RecordedEvent[]): RecordedEvent[] {
  let left = 0;
  let before = 0;
  return events.map((event) => {
    left += Math.max(0, event.at - before - longestPauseMs);
    before = event.at;
    return { ...event, at: event.at - left };
  });
}
