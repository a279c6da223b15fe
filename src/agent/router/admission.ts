import type { WireForm } from '../../protocol/subprotocol.ts';
import { CommandError } from './errors.ts';
import { requireSameCommand, type Job } from './execution.ts';
import type { IncomingCommand } from './incoming-command.ts';
import type { RouterLimits } from './limits.ts';
import { RunningCommand, type Peer } from './running-command.ts';

/** A peer and the form of its connection. */
export interface ConnectedPeer extends Peer {
  readonly form: WireForm;
}

/** Commands that run, with promises that resolve when they have ended. */
export type RunningCommands = ReadonlyMap<RunningCommand, Promise<void>>;

export interface AdmissionOptions {
  limits: RouterLimits;
  /** Whether the journal survives the process. */
  durable: boolean;
  /** Runs a job until its result is sent. Never rejects. */
  run: (job: Job) => Promise<void>;
}

/** Decides whether a command runs now, belongs to one that runs already, or is refused. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #operations = new Map<RunningCommand, Promise<void>>();
  readonly #reads = new Map<RunningCommand, Promise<void>>();
  readonly #byKey = new Map<string, RunningCommand>();
  #bytes = 0;
  #isClosed = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Starts a command, or attaches the peer to the running command with the same key. Throws
   * `CommandError`.
   */
  admit(command: IncomingCommand, peer: ConnectedPeer): void {
    if (this.#isClosed) {
      throw new CommandError('shutting_down', 'the agent is shutting down; send the command again later');
    }
    // In the plain form a key does not identify a command.
    const key = peer.form === 'v1' ? command.key : undefined;
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (known) this.#attach(known, command, peer);
    else this.#start(command, key, peer);
  }

  /**
   * Cancels the command with the key. Returns false if no such command runs or waits.
   */
  cancel(key: string): boolean {
    const running = this.#byKey.get(key);
    running?.cancellation.abort(new CommandError('cancelled', 'a command to cancel it arrived'));
    return running !== undefined;
  }

  /** Refuses all further commands and returns those that run. */
  close(): RunningCommands {
    this.#isClosed = true;
    return new Map([...this.#operations, ...this.#reads]);
  }

  #attach(known: RunningCommand, command: IncomingCommand, peer: ConnectedPeer): void {
    requireSameCommand(command, known.command.fingerprint);
    known.attach(peer);
    known.accepted({ durable: this.#options.durable, repeated: true }, peer);
  }

  #start(command: IncomingCommand, key: string | undefined, peer: ConnectedPeer): void {
    const { limits, run } = this.#options;
    const reads = command.changes === undefined;
    const group = reads ? this.#reads : this.#operations;
    const limit = reads ? limits.maxReads : limits.maxOperations;
    if (group.size >= limit) throw new CommandError('busy', `${limit} commands are running; try again later`);
    if (this.#bytes + command.bytes > limits.maxBytes) {
      const message = `the commands that are running have more than ${limits.maxBytes} bytes; try again later`;
      throw new CommandError('busy', message);
    }
    this.#bytes += command.bytes;
    const running = new RunningCommand(command, peer);
    if (key !== undefined) this.#byKey.set(key, running);
    const ended = run({ running, key, form: peer.form }).finally(() => {
      if (key !== undefined) this.#byKey.delete(key);
      group.delete(running);
      this.#bytes -= command.bytes;
    });
    group.set(running, ended);
  }
}
