import type { AgentRecorder, CommandLabel, CommandResult } from '../../metrics/agent-metrics.ts';
import type { ServiceAccount } from '../../objects/service-account.ts';
import type { Progress } from '../../operation/progress.ts';
import { isCommandType } from '../../protocol/commands/index.ts';
import { isErrorCode } from '../../protocol/error-codes.ts';
import { type CommandSpan, resultOfFailure, type Span, type SpanResult, type Tracing } from '../../tracing/tracing.ts';
import type { IncomingCommand } from './incoming-command.ts';

/** How a command is performed, as far as its span says. */
interface Circumstances {
  /** Undefined for the agent itself. */
  account: ServiceAccount | undefined;
  /** Whether another process has accepted it. */
  isContinued: boolean;
}

/** Measures and traces commands. */
export class CommandMeasures {
  readonly #recorder: AgentRecorder;
  readonly #tracing: Tracing;
  /** Commands that run. */
  running = 0;
  /** Commands that wait for others. */
  waiting = 0;

  constructor(recorder: AgentRecorder, tracing: Tracing) {
    this.#recorder = recorder;
    this.#tracing = tracing;
  }

  /** Measures one command, from now on. */
  begin(command: IncomingCommand, { account, isContinued }: Circumstances): CommandMeasure {
    const { key, type, target, traceparent: parent } = command;
    const attributes = {
      'k8s.namespace.name': target.namespace,
      'helm_agent.release': target.releaseName,
      'helm_agent.account': account,
      'helm_agent.continued': isContinued ? 'true' : undefined,
    };
    const span = this.#tracing.begin({ type, key, parent, attributes });
    return new CommandMeasure(this, this.#recorder, command, span);
  }
}

/** A step that runs. */
interface RunningStep {
  started: number;
  span: Span;
}

const stepResults = { done: 'success', failed: 'failure', skipped: 'skip' } as const;

const spanResults: Partial<Record<CommandResult, SpanResult>> = { success: 'success', parked: 'skip' };

/** Measures one command, from its acceptance to its end. */
export class CommandMeasure {
  readonly #all: CommandMeasures;
  readonly #recorder: AgentRecorder;
  readonly #type: CommandLabel;
  readonly #changesRelease: boolean;
  readonly #begun = performance.now();
  readonly #span: CommandSpan;
  readonly #steps = new Map<Progress['step'], RunningStep>();
  #isRunning = false;

  constructor(all: CommandMeasures, recorder: AgentRecorder, { type, changes }: IncomingCommand, span: CommandSpan) {
    this.#all = all;
    this.#recorder = recorder;
    this.#type = isCommandType(type) ? type : 'other';
    this.#changesRelease = changes !== undefined;
    this.#span = span;
    all.waiting++;
  }

  /** Id of the trace that the command is a part of. Undefined: of none. */
  get traceId(): string | undefined {
    return this.#span.traceparent?.split('-')[1];
  }

  /** Notes that the command waits for its turn. */
  queue(): void {
    if (!this.#steps.has('queue')) this.#begin('queue');
  }

  /** Notes that it is the command's turn. */
  run(): void {
    this.#isRunning = true;
    this.#end('queue', 'success');
    this.#all.waiting--;
    this.#all.running++;
    if (this.#changesRelease) this.#recorder.observe('helm_agent_queue_wait_seconds', {}, this.#seconds());
  }

  /** Measures the steps in the progress of the command. */
  progress({ step, state }: Progress): void {
    if (state === 'running') {
      if (!this.#steps.has(step)) this.#begin(step);
      return;
    }
    const started = this.#end(step, stepResults[state]);
    if (started === undefined) return;
    this.#recorder.observe('helm_agent_step_duration_seconds', { step }, (performance.now() - started) / 1000);
  }

  /** `code` is that of its failure. */
  end(result: CommandResult, code = ''): void {
    if (this.#isRunning) this.#all.running--;
    else this.#all.waiting--;
    this.#recorder.count('helm_agent_commands_total', { type: this.#type, result });
    for (const step of [...this.#steps.keys()]) this.#end(step, 'cancellation');
    this.#span.end(spanResults[result] ?? resultOfFailure(code), code || undefined);
    if (isErrorCode(code)) this.#recorder.count('helm_agent_failures_total', { code });
    if (result !== 'parked') {
      this.#recorder.observe('helm_agent_command_duration_seconds', { type: this.#type }, this.#seconds());
    }
  }

  #begin(step: Progress['step']): void {
    this.#steps.set(step, { started: performance.now(), span: this.#span.step(step) });
  }

  /** Returns when the step has started; undefined if it has not. */
  #end(step: Progress['step'], result: SpanResult): number | undefined {
    const running = this.#steps.get(step);
    this.#steps.delete(step);
    running?.span.end(result);
    return running?.started;
  }

  #seconds(): number {
    return (performance.now() - this.#begun) / 1000;
  }
}
