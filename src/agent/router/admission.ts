import type { UnfinishedCommand } from '../../journal/index.ts';
import { Cancellation } from '../../operation/cancellation.ts';
import type { CancelCommandMode } from '../../protocol/commands/cancel-command.ts';
import type { Packet } from '../../protocol/packet.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import { CommandError } from './errors.ts';
import { requireSameCommand } from './execution.ts';
import type { IncomingCommand } from './incoming-command.ts';
import type { Job } from './job.ts';
import type { RouterLimits } from './limits.ts';
import { type Peer, RunningCommand } from './running-command.ts';

/** Commands that a newer one can replace. */
const replaceable: ReadonlySet<string> = new Set(['install_release', 'upgrade_release']);

/** A peer and the form of its connection. */
export interface ConnectedPeer extends Peer {
  readonly form: WireForm;
  /** Whether too many replies wait for it, so that new commands are refused. Default: false. */
  readonly isFull?: boolean;
  /** Whether the peer handles a packet itself. Default: no packet. */
  take?(packet: Packet): boolean;
}

/** A command that runs. */
export interface RunningJob {
  /** Whether another process can continue it. */
  isDurable: boolean;
  /** Resolves when it has ended and cleaned up. */
  ended: Promise<void>;
}

export type RunningCommands = ReadonlyMap<RunningCommand, RunningJob>;

export interface AdmissionOptions {
  limits: RouterLimits;
  /** Whether the journal survives the process. */
  durable: boolean;
  /** Id of this process. */
  instanceId: string;
  /**
   * Runs a job until its result is sent. Returns the work that it has left, if there is any.
   * Neither rejects.
   */
  run: (job: Job) => Promise<(() => Promise<void>) | undefined>;
}

const cancelTexts: Readonly<Record<CancelCommandMode, string>> = {
  undo: 'a command to cancel it arrived',
  leave: 'a command to cancel it and to leave its changes arrived',
  park: 'a command to park it arrived',
  superseded: 'a newer command replaces it',
};

/** Decides whether a command runs now, belongs to one that runs already, or is refused. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #operations = new Map<RunningCommand, RunningJob>();
  readonly #reads = new Map<RunningCommand, RunningJob>();
  readonly #follows = new Map<RunningCommand, RunningJob>();
  readonly #byKey = new Map<string, RunningCommand>();
  #bytes = 0;
  #anonymous = 0;
  #isClosed = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Starts a command, or attaches the peer to the running command with the same key. Throws
   * `CommandError`.
   */
  admit(command: IncomingCommand, peer: ConnectedPeer): void {
    // In the plain form a key does not identify a command.
    const key = peer.form === 'v1' ? command.key : undefined;
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (known) {
      requireSameCommand(command, known.command.fingerprint);
      this.#attach(known, peer);
      return;
    }
    if (this.#isClosed) {
      throw new CommandError('shutting_down', 'the agent is shutting down; send the command again later');
    }
    if (peer.isFull === true) {
      throw new CommandError('busy', 'too many replies wait to be confirmed by the control plane; try again later');
    }
    this.#requireCapacity(command);
    const isAnonymous = key === undefined;
    const id = key ?? `anonymous/${this.#options.instanceId}/${++this.#anonymous}`;
    this.#start({
      running: new RunningCommand(command, peer),
      key: id,
      isAnonymous,
      form: peer.form,
      onAccepted: this.#supersede(command),
    });
  }

  /** Continues a command of a process that has ended, alone or together with others. */
  resume(command: IncomingCommand, unfinished: UnfinishedCommand, isAlone: boolean): void {
    const { key, isAnonymous } = unfinished;
    const left = { ...unfinished, isAlone };
    this.#start({ running: new RunningCommand(command), key, isAnonymous, form: 'v1', left });
  }

  /** Attaches the peer to the running command with the key. Returns false if there is none. */
  attach(key: string, peer: Peer): boolean {
    const known = this.#byKey.get(key);
    if (known) this.#attach(known, peer);
    return known !== undefined;
  }

  /**
   * Cancels the command with the key. Returns false if no such command runs or waits.
   */
  cancel(key: string, mode: CancelCommandMode): boolean {
    const running = this.#byKey.get(key);
    if (mode === 'park') running?.abandonment.abort(new CommandError('cancelled', cancelTexts.park));
    // a command that waits for its turn has nothing to park
    running?.cancellation.abort(new Cancellation(cancelTexts[mode], mode === 'park' ? 'leave' : mode));
    return running !== undefined;
  }

  /** Refuses all further commands and returns those that run. */
  close(): RunningCommands {
    this.#isClosed = true;
    return new Map([...this.#operations, ...this.#reads, ...this.#follows]);
  }

  /** Returns a function that cancels the commands that a new one replaces. */
  #supersede({ ifBusy, changes }: IncomingCommand): () => void {
    if (ifBusy !== 'supersede') return () => undefined;
    const replaced = [...this.#operations.keys()].filter(({ command }) => {
      return command.changes === changes && replaceable.has(command.type);
    });
    return () => {
      for (const { cancellation } of replaced) {
        cancellation.abort(new Cancellation(cancelTexts.superseded, 'superseded'));
      }
    };
  }

  #attach(known: RunningCommand, peer: Peer): void {
    const durable = this.#isDurable(known.command);
    known.attach(peer);
    known.accepted({ durable, ...(known.isResumed ? { resumed: true } : { repeated: true }) }, peer);
  }

  #isDurable({ isDurable }: IncomingCommand): boolean {
    return this.#options.durable && isDurable;
  }

  #groupOf({ changes, follows }: IncomingCommand): Map<RunningCommand, RunningJob> {
    if (changes !== undefined) return this.#operations;
    return follows ? this.#follows : this.#reads;
  }

  #requireCapacity(command: IncomingCommand): void {
    const { limits } = this.#options;
    const group = this.#groupOf(command);
    const limit =
      group === this.#follows ? limits.maxFollows : group === this.#reads ? limits.maxReads : limits.maxOperations;
    if (group.size >= limit) {
      const commands = group === this.#follows ? 'commands that follow something' : 'commands';
      throw new CommandError('busy', `${limit} ${commands} are running; try again later`);
    }
    if (this.#bytes + command.bytes > limits.maxBytes) {
      const message = `the commands that are running have more than ${limits.maxBytes} bytes; try again later`;
      throw new CommandError('busy', message);
    }
  }

  #start(job: Job): void {
    const { running, key } = job;
    const { command } = running;
    const group = this.#groupOf(command);
    this.#bytes += command.bytes;
    this.#byKey.set(key, running);
    const ended = this.#options.run(job).then(async (cleanUp) => {
      // a parked one is accepted again until the process ends; the next one sends its result
      if (!this.#isClosed || !running.isParked) this.#byKey.delete(key);
      this.#bytes -= command.bytes;
      if (cleanUp !== undefined) await cleanUp();
      group.delete(running);
    });
    group.set(running, { isDurable: this.#isDurable(command), ended });
  }
}
