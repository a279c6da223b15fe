/** The end of a command or of a step, in the words of OpenTelemetry's conventions for pipelines. */
export type SpanResult = 'success' | 'failure' | 'cancellation' | 'timeout' | 'skip';

interface CommandStart {
  /** Type of the command, which becomes the name of the span. */
  type: string;
  key: string | undefined;
  /** `traceparent` of the span that has sent the command. Undefined: the command begins a trace. */
  parent: string | undefined;
  /** More attributes, by name. Undefined ones are left out. Must have no secrets and no values. */
  attributes?: Readonly<Record<string, string | undefined>>;
}

/** A part of a trace that has begun. */
export interface Span {
  /** Ends the span. `code` is the code of its error. */
  end(result: SpanResult, code?: string): void;
}

/** The span of a command. */
export interface CommandSpan extends Span {
  /**
   * The `traceparent` for parts of the command in other processes. Undefined: the command is in no
   * trace.
   */
  readonly traceparent: string | undefined;
  /** Begins a span for a step of the command. */
  step(name: string): Span;
}

/** Begins spans. Never throws, and never waits. */
export interface Tracing {
  begin(command: CommandStart): CommandSpan;
  /** Sends the spans that have ended, which takes a few seconds at most. Never rejects. */
  close(): Promise<void>;
}

const ignored: Span = { end: () => undefined };

/** Begins no spans. The `traceparent` of a command is passed on as it is. */
export const noTracing: Tracing = {
  begin: ({ parent }) => ({ ...ignored, traceparent: parent, step: () => ignored }),
  close: () => Promise.resolve(),
};

/** Returns the result that a span has after a failure. */
export function resultOfFailure(code: string): SpanResult {
  if (code === 'cancelled') return 'cancellation';
  return code === 'timeout' ? 'timeout' : 'failure';
}
