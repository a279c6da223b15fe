import { EventSourceParserStream } from 'eventsource-parser/stream';
import { pause } from './pause.ts';

/** An event of a stream of the control plane. */
export interface ServerEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
}

/** A value that the events of a stream make. */
export interface EventReader<Value> {
  read(event: ServerEvent): void;
  /** Returns the value so far. Undefined: a part of it is still to come. */
  value(): Value | undefined;
}

export interface FollowOptions {
  signal: AbortSignal;
  /** Whether the stream ends after an event. Default: it never ends. */
  isLast?: (event: ServerEvent) => boolean;
  /** Called when the stream begins, and when it was cut off. */
  onConnected?: (isConnected: boolean) => void;
  /** Times in milliseconds. Default: those of {@link defaultTimes}. */
  times?: typeof defaultTimes;
  /** Default: `Math.random`. */
  random?: () => number;
}

/** A stream sends a comment every 15 s, so one that is silent for longer is broken. */
const defaultTimes = { silenceMs: 40_000, firstPauseMs: 250, longestPauseMs: 5000 };

/** The largest event that is read, in UTF-16 units. The control plane's are smaller. */
const maxEventLength = 32 * 1024 * 1024;

/**
 * Returns the events of a stream. When it is cut off, it is opened again after the last event.
 * Rejects with what `open` rejects with if that has a `status` below 500, and with the reason of
 * the signal.
 */
export async function* followEvents(
  open: (lastId: string, signal: AbortSignal) => Promise<Response>,
  { signal, isLast = () => false, onConnected, times = defaultTimes, random = defaultRandom }: FollowOptions,
): AsyncGenerator<ServerEvent> {
  let lastId = '';
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener('abort', stop);
    try {
      const response = await open(lastId, attempt.signal);
      onConnected?.(true);
      for await (const event of eventsOf(response, times.silenceMs, attempt)) {
        failures = 0;
        lastId = event.id;
        yield event;
        if (isLast(event)) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isFinal(error)) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      attempt.abort();
    }
    onConnected?.(false);
    const longest = Math.min(times.longestPauseMs, times.firstPauseMs * 2 ** failures);
    await pause(longest * (0.5 + random() / 2), signal);
  }
}

/** Whether another attempt would fail in the same way. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500;
}

async function* eventsOf({ body }: Response, silenceMs: number, attempt: AbortController): AsyncGenerator<ServerEvent> {
  if (!body) return;
  const abort = () => attempt.abort();
  let timer = setTimeout(abort, silenceMs);
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      clearTimeout(timer);
      timer = setTimeout(abort, silenceMs);
      controller.enqueue(chunk);
    },
  });
  const reader = body
    .pipeThrough(heard)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxEventLength }))
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { id: value.id ?? '', type: value.event ?? 'message', payload: JSON.parse(value.data) };
    }
  } finally {
    clearTimeout(timer);
  }
}

function defaultRandom(): number {
  // the pauses between attempts need no seed
  // eslint-disable-next-line no-restricted-properties -- a page has no host argument
  return Math.random();
}
