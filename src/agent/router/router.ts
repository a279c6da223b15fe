import type { Journal } from '../../journal/journal.ts';
import { isCommandType } from '../../protocol/commands/index.ts';
import {
  agentMessageSchemas,
  controlPlaneMessageSchemas,
  unfinishedSchema,
  type Result,
} from '../../protocol/messages.ts';
import { decodePayload } from '../../protocol/payload.ts';
import { decodeFrame, PacketError, type Packet } from '../../protocol/packet.ts';
import type { CommandHandlers } from '../commands/command-handler.ts';
import type { Logger } from '../logger.ts';
import { Admission, type ConnectedPeer } from './admission.ts';
import { Execution } from './execution.ts';
import { failureOf } from './failure.ts';
import { readCommand, type IncomingCommand } from './incoming-command.ts';
import { defaultRouterLimits, type RouterLimits } from './limits.ts';
import { ReleaseQueues } from './release-queues.ts';
import { recall } from './recall.ts';
import { shortenMessage } from './shorten.ts';
import { abandonOperations, shutDown } from './shutdown.ts';

export interface RouterOptions {
  handlers: CommandHandlers;
  journal: Journal;
  log: Logger;
  /** Id of this process. */
  instanceId: string;
  now: () => Date;
  /** Default: `defaultRouterLimits`. */
  limits?: RouterLimits;
}

/** Packets that are never replied to: two ends that reply to each other's would never stop. */
const noticeTypes = new Set([...Object.keys(agentMessageSchemas), ...Object.keys(controlPlaneMessageSchemas)]);

/** Reads frames, performs the commands in them, and replies to their senders. */
export class Router {
  readonly #handlers: CommandHandlers;
  readonly #journal: Journal;
  readonly #log: Logger;
  readonly #admission: Admission;
  readonly #recalls = new Set<Promise<void>>();

  constructor({ handlers, journal, log, instanceId, now, limits = defaultRouterLimits }: RouterOptions) {
    this.#handlers = handlers;
    this.#log = log;
    const execution = new Execution({
      journal,
      log,
      now,
      queues: new ReleaseQueues(limits.concurrency),
      cancel: (key, mode) => this.#admission.cancel(key, mode),
    });
    const { durable } = journal;
    this.#journal = journal;
    this.#admission = new Admission({ limits, durable, instanceId, run: (job) => execution.run(job) });
  }

  /**
   * Continues the commands that an earlier process has left, and returns the keys of the releases
   * that they change. Rejects if the journal cannot be read.
   */
  async resume(): Promise<Set<string>> {
    const releases = new Set<string>();
    for (const left of await this.#journal.takeOver()) {
      const { key, type, payload, isAnonymous } = left;
      try {
        const packet = { type, payload, ...(!isAnonymous && { key }) };
        const command = readCommand(packet, this.#handlers);
        this.#admission.resume(command, left);
        if (command.changes !== undefined) releases.add(command.changes);
      } catch (error) {
        // a version that does not know the command
        const failure = failureOf(error);
        this.#log.error({ key, code: failure.code }, 'cannot continue a command of the journal');
        await this.#journal.finish(key, JSON.stringify({ ok: false, error: failure } satisfies Result));
      }
    }
    return releases;
  }

  /**
   * Handles a frame. Never throws: the peer gets an error for a bad frame. Returns whether the
   * frame has a command or a notice.
   */
  receive(frame: Buffer, isBinary: boolean, peer: ConnectedPeer): boolean {
    let packet: Packet;
    try {
      packet = decodeFrame(frame, isBinary);
    } catch (error) {
      this.#refuse(peer, error instanceof PacketError ? error : {}, error);
      return false;
    }
    try {
      if (peer.take?.(packet) === true) return true;
    } catch (error) {
      this.#log.warn({ type: packet.type, code: failureOf(error).code }, 'received a notice that cannot be read');
      return false;
    }
    if (packet.type === 'unfinished') return this.#recall(packet, peer);
    if (noticeTypes.has(packet.type)) {
      this.#log.debug({ type: packet.type }, 'received a notice');
      return true;
    }
    let command: IncomingCommand;
    try {
      command = readCommand(packet, this.#handlers);
    } catch (error) {
      this.#refuse(peer, packet, error);
      return false;
    }
    try {
      this.#admission.admit(command, peer);
    } catch (error) {
      this.#refuse(peer, packet, error);
    }
    return true;
  }

  /**
   * Refuses new commands and leaves all operations as they are, because another process may
   * continue them now. Nothing is written or sent after the call.
   */
  abandon(): void {
    abandonOperations(this.#admission.close());
    this.#journal.close();
  }

  /**
   * Refuses new commands, parks those that the journal keeps, cancels all others, and resolves when
   * these have sent their results.
   */
  async close(graceMs: number): Promise<void> {
    await shutDown(this.#admission.close(), graceMs, this.#log);
    this.#journal.close();
    await Promise.all(this.#recalls);
  }

  /** Sends what is known about the commands for which the peer has no result. */
  #recall(packet: Packet, peer: ConnectedPeer): boolean {
    try {
      const { keys } = decodePayload(unfinishedSchema, packet.payload);
      const recalled = recall(keys, peer, this.#admission, this.#journal)
        .catch((error: unknown) => this.#log.warn({ code: failureOf(error).code }, 'cannot read the journal'))
        .finally(() => this.#recalls.delete(recalled));
      this.#recalls.add(recalled);
      return true;
    } catch (error) {
      this.#refuse(peer, packet, error);
      return false;
    }
  }

  #refuse(
    peer: ConnectedPeer,
    { key, type }: { key?: string | undefined; type?: string | undefined },
    error: unknown,
  ): void {
    const { message, ...rest } = failureOf(error);
    const failure = { ...rest, message: shortenMessage(message) };
    // The message can hold parts of the packet.
    const knownType = type !== undefined && isCommandType(type) ? type : undefined;
    this.#log.warn({ key, type: knownType, code: failure.code }, 'refused a packet');
    const result: Result = { ok: false, error: failure };
    peer.reply({ kind: 'result', key, type, payload: JSON.stringify(result) });
  }
}
