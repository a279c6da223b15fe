import type { Progress } from '../../operation/progress.ts';
import type { Log } from '../../protocol/log.ts';
import type { Accepted, Failure, Result, Status } from '../../protocol/messages.ts';
import type { IncomingCommand } from './incoming-command.ts';
import type { Reply } from './reply.ts';
import { shortenMessage, splitResources } from './shorten.ts';

/** The sender of commands. */
export interface Peer {
  reply(reply: Reply): void;
}

/** A command from its acceptance to its result, and the peers that get its packets. */
export class RunningCommand {
  readonly command: IncomingCommand;
  /** Whether another process has accepted it. */
  readonly isResumed: boolean;
  readonly cancellation = new AbortController();
  readonly abandonment = new AbortController();
  readonly #peers = new Set<Peer>();
  #statuses = 0;
  #evidence = 0;
  #logs = 0;
  #ended = false;
  #isParked = false;

  /**
   * Sends its packets to the peer. Without one, the command is that of a process that has ended.
   */
  constructor(command: IncomingCommand, peer?: Peer) {
    this.command = command;
    this.isResumed = peer === undefined;
    if (peer) this.#peers.add(peer);
  }

  /**
   * Leaves the operation as it is, for another process. The command sends nothing more, unless the
   * operation has ended already.
   */
  park(reason: Error): void {
    this.#isParked = true;
    this.abandonment.abort(reason);
  }

  get isParked(): boolean {
    return this.#isParked;
  }

  /** Sends the following packets to another peer, too. */
  attach(peer: Peer): void {
    this.#peers.add(peer);
  }

  accepted(accepted: Accepted, peer?: Peer): void {
    this.#send('accepted', JSON.stringify(accepted), peer);
  }

  /** Reports a place in the queue; undefined if the wait is over. */
  queued(position: number | undefined, time: Date): void {
    if (this.#isParked) return;
    const wait = position === undefined ? {} : { position, message: queueText(position) };
    const state = position === undefined ? 'done' : 'running';
    const status: Status = { seq: ++this.#statuses, step: 'queue', state, time: time.toISOString(), ...wait };
    this.#send('status', JSON.stringify(status));
  }

  progress(progress: Progress): void {
    if (this.#ended) return;
    const { evidence, log, ...rest } = progress;
    const { message, step, time } = rest;
    if (evidence !== undefined) {
      const payload = { seq: ++this.#evidence, step, time, ...evidence };
      this.#send('evidence', this.command.mask(JSON.stringify(payload)));
      return;
    }
    if (log !== undefined) {
      const payload: Log = { seq: ++this.#logs, step, time, ...log, lines: [...log.lines] };
      this.#send('log', this.command.mask(JSON.stringify(payload)));
      return;
    }
    for (const resources of splitResources(progress.resources)) {
      const status: Status = { seq: ++this.#statuses, ...rest };
      if (message !== undefined) status.message = shortenMessage(this.command.mask(message));
      if (resources !== undefined) status.resources = resources;
      this.#send('status', JSON.stringify(status));
    }
  }

  /**
   * Returns the result as it is sent and journaled. The message of a failure is masked and
   * shortened.
   */
  seal(result: Result): string {
    return JSON.stringify(result.ok ? result : { ok: false, error: this.#masked(result.error) });
  }

  /** Sends the result. The command sends nothing after it. */
  end(outcome: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#send('result', outcome);
  }

  #masked(failure: Failure): Failure {
    const masked = (message: string) => shortenMessage(this.command.mask(message));
    const resources = failure.resources?.map(({ reason, log, ...resource }) => ({
      ...resource,
      ...(reason !== undefined && { reason: masked(reason) }),
      ...(log !== undefined && { log: masked(log) }),
    }));
    const undoErrors = failure.undoErrors?.map((undo) => ({ ...undo, message: masked(undo.message) }));
    return {
      ...failure,
      message: masked(failure.message),
      ...(undoErrors && { undoErrors }),
      ...(resources && { resources }),
    };
  }

  #send(kind: Reply['kind'], payload: string, only?: Peer): void {
    const { key, type, fingerprint } = this.command;
    const reply = { kind, key, type, payload, ...(kind === 'result' && { fingerprint }) };
    for (const peer of only ? [only] : this.#peers) peer.reply(reply);
  }
}

function queueText(position: number): string {
  if (position === 0) return 'waits until the agent has room for another operation';
  return `waits for ${position} other ${position === 1 ? 'command' : 'commands'} on the release`;
}
