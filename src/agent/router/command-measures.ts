import type { AgentRecorder, CommandLabel, CommandResult } from '../../metrics/agent-metrics.ts';
import type { Progress } from '../../operation/progress.ts';
import { isErrorCode } from '../../protocol/error-codes.ts';

/** Measures commands. */
export class CommandMeasures {
  readonly #recorder: AgentRecorder;
  /** Commands that run. */
  running = 0;
  /** Commands that wait for others. */
  waiting = 0;

  constructor(recorder: AgentRecorder) {
    this.#recorder = recorder;
  }

  /** Measures one command, from now on. */
  begin(type: CommandLabel, changesRelease: boolean): CommandMeasure {
    return new CommandMeasure(this, this.#recorder, type, changesRelease);
  }
}

/** Measures one command, from its acceptance to its end. */
export class CommandMeasure {
  readonly #all: CommandMeasures;
  readonly #recorder: AgentRecorder;
  readonly #type: CommandLabel;
  readonly #changesRelease: boolean;
  readonly #begun = performance.now();
  readonly #steps = new Map<Progress['step'], number>();
  #isRunning = false;

  constructor(all: CommandMeasures, recorder: AgentRecorder, type: CommandLabel, changesRelease: boolean) {
    this.#all = all;
    this.#recorder = recorder;
    this.#type = type;
    this.#changesRelease = changesRelease;
    all.waiting++;
  }

  /** Notes that it is the command's turn. */
  run(): void {
    this.#isRunning = true;
    this.#all.waiting--;
    this.#all.running++;
    if (this.#changesRelease) this.#recorder.observe('helm_agent_queue_wait_seconds', {}, this.#seconds());
  }

  /** Measures the steps in the progress of the command. */
  progress({ step, state }: Progress): void {
    const started = this.#steps.get(step);
    if (started === undefined) {
      if (state === 'running') this.#steps.set(step, performance.now());
    } else if (state !== 'running') {
      this.#steps.delete(step);
      this.#recorder.observe('helm_agent_step_duration_seconds', { step }, (performance.now() - started) / 1000);
    }
  }

  /** `code` is that of its failure. */
  end(result: CommandResult, code = ''): void {
    if (this.#isRunning) this.#all.running--;
    else this.#all.waiting--;
    this.#recorder.count('helm_agent_commands_total', { type: this.#type, result });
    if (isErrorCode(code)) this.#recorder.count('helm_agent_failures_total', { code });
    if (result !== 'parked') {
      this.#recorder.observe('helm_agent_command_duration_seconds', { type: this.#type }, this.#seconds());
    }
  }

  #seconds(): number {
    return (performance.now() - this.#begun) / 1000;
  }
}
