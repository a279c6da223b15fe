import type { Journal } from '../../journal/journal.ts';
import type { Result } from '../../protocol/messages.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import type { CommandContext } from '../commands/command-handler.ts';
import type { Logger } from '../logger.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';
import { failureFields, stackWithoutMessage } from './failure-log.ts';
import type { IncomingCommand } from './incoming-command.ts';
import type { ReleaseQueues } from './release-queues.ts';
import type { RunningCommand } from './running-command.ts';
import { shortenAnswer } from './shorten.ts';

/** A command that was admitted. */
export interface Job {
  running: RunningCommand;
  /** The key in the journal; undefined if the command is not journaled. */
  key: string | undefined;
  form: WireForm;
}

export interface ExecutionOptions {
  journal: Journal;
  queues: ReleaseQueues;
  log: Logger;
  /** Cancels the command with a key. Returns whether there is one. */
  cancel: (key: string) => boolean;
}

/** Journals commands and performs them. */
export class Execution {
  readonly #journal: Journal;
  readonly #queues: ReleaseQueues;
  readonly #log: Logger;
  readonly #cancel: (key: string) => boolean;

  constructor({ journal, queues, log, cancel }: ExecutionOptions) {
    this.#journal = journal;
    this.#queues = queues;
    this.#log = log;
    this.#cancel = cancel;
  }

  /** Runs a command until its result is sent. Never rejects. */
  async run(job: Job): Promise<void> {
    const { running } = job;
    try {
      running.end(await this.#outcome(job));
    } catch (error) {
      this.#logFailure(running.command, error);
      running.end(running.seal({ ok: false, error: failureOf(error) }));
    }
  }

  async #outcome(job: Job): Promise<string> {
    const { running, key } = job;
    const { durable } = this.#journal;
    if (key === undefined) {
      running.accepted({ durable: false });
      return running.seal(await this.#perform(job));
    }
    const known = await this.#journal.accept(key, running.command.fingerprint);
    if (known) {
      requireSameCommand(running.command, known.fingerprint);
      if (known.outcome === undefined) throw new Error('journal: the command runs in another process');
      running.accepted({ durable, repeated: true });
      return known.outcome;
    }
    running.accepted({ durable });
    const outcome = running.seal(await this.#perform(job));
    await this.#journal.finish(key, outcome);
    return outcome;
  }

  async #perform({ running, form }: Job): Promise<Result> {
    const { command } = running;
    const log = this.#log.child({ key: command.key, type: command.type, release: command.changes });
    const { signal } = running.cancellation;
    const abandon = running.abandonment.signal;
    const progress: CommandContext['progress'] = (step) => {
      running.progress(step);
    };
    const start = () => command.perform({ signal, abandon, log, progress, cancel: this.#cancel });
    log.info({}, 'command accepted');
    try {
      const { changes } = command;
      const answer = await (changes === undefined ? start() : this.#queues.run(changes, signal, start));
      log.info({}, 'command succeeded');
      return { ok: true, ...(form === 'v1' ? shortenAnswer(answer) : answer) };
    } catch (error) {
      this.#logFailure(command, error);
      return { ok: false, error: failureOf(error) };
    }
  }

  #logFailure(command: IncomingCommand, error: unknown): void {
    const failure = failureOf(error);
    const fields = { key: command.key, type: command.type, release: command.changes, ...failureFields(failure) };
    if (failure.code !== 'internal') this.#log.warn(fields, 'command failed');
    else this.#log.error({ ...fields, stack: stackWithoutMessage(error) }, 'command failed: a defect');
  }
}

/** Throws `CommandError` `key_reused` unless the command has the fingerprint. */
export function requireSameCommand(command: IncomingCommand, fingerprint: string): void {
  if (command.fingerprint === fingerprint) return;
  throw new CommandError('key_reused', `the key ${command.key ?? ''} already names another command; use a new one`);
}
