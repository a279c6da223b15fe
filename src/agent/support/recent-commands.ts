import type { CommandSpan, Span, SpanResult, Tracing } from '../../tracing/tracing.ts';

/** A command of this process, without its payload. */
export interface RecentCommand {
  type: string;
  key: string | undefined;
  namespace?: string | undefined;
  release?: string | undefined;
  account?: string | undefined;
  /** RFC 3339. */
  started: string;
  /** Undefined: it runs or waits. */
  seconds?: number;
  result?: SpanResult;
  /** Of its error. */
  code?: string | undefined;
  steps: { step: string; seconds?: number; result?: SpanResult }[];
}

/** Commands, and steps of each, that are kept. */
const maxCommands = 200;
const maxSteps = 40;

/** Keeps the newest commands of this process, and passes all of them on to another tracing. */
export class RecentCommands implements Tracing {
  readonly #inner: Tracing;
  readonly #now: () => Date;
  readonly #commands = new Set<RecentCommand>();

  constructor(inner: Tracing, now: () => Date) {
    this.#inner = inner;
    this.#now = now;
  }

  /** Returns the commands, the newest one last. */
  list(): RecentCommand[] {
    return [...this.#commands];
  }

  begin(start: Parameters<Tracing['begin']>[0]): CommandSpan {
    const span = this.#inner.begin(start);
    const { type, key, attributes = {} } = start;
    const command: RecentCommand = {
      ...{ type, key, namespace: attributes['k8s.namespace.name'], release: attributes['helm_agent.release'] },
      ...{ account: attributes['helm_agent.account'], started: this.#now().toISOString(), steps: [] },
    };
    this.#commands.add(command);
    const [oldest] = this.#commands;
    if (oldest && this.#commands.size > maxCommands) this.#commands.delete(oldest);
    const timed = timer();
    return {
      traceparent: span.traceparent,
      step: (name) => this.#step(command, name, span.step(name)),
      end(result, code) {
        Object.assign(command, { seconds: timed(), result, code });
        span.end(result, code);
      },
    };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #step({ steps }: RecentCommand, name: string, span: Span): Span {
    if (steps.length >= maxSteps) return span;
    const step: RecentCommand['steps'][number] = { step: name };
    steps.push(step);
    const timed = timer();
    return {
      end(result, code) {
        Object.assign(step, { seconds: timed(), result });
        span.end(result, code);
      },
    };
  }
}

/** Returns a function that returns the seconds since this call, with milliseconds. */
function timer(): () => number {
  const start = performance.now();
  return () => Math.round(performance.now() - start) / 1000;
}
