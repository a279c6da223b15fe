import type { Progress } from '../../operation/progress.ts';
import type { Accepted, Failure, Result, Status } from '../../protocol/messages.ts';
import { briefMessage } from './brief.ts';
import type { Command } from './command.ts';
import type { Reply } from './reply.ts';
import type { Mask } from './secrets.ts';

/** Who sent a command, and hears of it. */
export interface Peer {
  reply(reply: Reply): void;
}

/** A command from its acceptance to its result, and the peers who hear of it. */
export class RunningCommand {
  readonly cancellation = new AbortController();
  readonly abandonment = new AbortController();
  readonly fingerprint: string;
  readonly #key: string | undefined;
  readonly #type: string;
  readonly #mask: Mask;
  readonly #peers: Set<Peer>;
  #statuses = 0;
  #ended = false;

  constructor(command: Command, peer: Peer) {
    this.fingerprint = command.fingerprint;
    this.#key = command.key;
    this.#type = command.type;
    this.#mask = command.mask;
    this.#peers = new Set([peer]);
  }

  /** Another peer, or the same once more, sent the command: it hears the rest. */
  attach(peer: Peer): void {
    this.#peers.add(peer);
  }

  accepted(accepted: Accepted, peer?: Peer): void {
    this.#say('accepted', JSON.stringify(accepted), peer);
  }

  progress(progress: Progress): void {
    if (this.#ended) return;
    const status: Status = { seq: ++this.#statuses, ...progress };
    if (progress.message !== undefined) status.message = briefMessage(this.#mask(progress.message));
    this.#say('status', JSON.stringify(status));
  }

  /** The result as it goes out: a failure's text holds no secret of the command, and is not long. */
  seal(result: Result): string {
    return JSON.stringify(result.ok ? result : { ok: false, error: this.#masked(result.error) });
  }

  /** Says the result, after which the command says nothing more. */
  end(outcome: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#say('result', outcome);
  }

  #masked(failure: Failure): Failure {
    return { ...failure, message: briefMessage(this.#mask(failure.message)) };
  }

  #say(kind: Reply['kind'], payload: string, only?: Peer): void {
    for (const peer of only ? [only] : this.#peers) peer.reply({ kind, key: this.#key, type: this.#type, payload });
  }
}
