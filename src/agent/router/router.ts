import type { Journal } from '../../journal/journal.ts';
import { isCommandType } from '../../protocol/commands/index.ts';
import { agentMessageSchemas, controlPlaneMessageSchemas, type Result } from '../../protocol/messages.ts';
import { decodeFrame, PacketError, type Packet } from '../../protocol/packet.ts';
import type { CommandHandlers } from '../commands/command-handler.ts';
import type { Logger } from '../logger.ts';
import { Admission, type ConnectedPeer } from './admission.ts';
import { Execution } from './execution.ts';
import { failureOf } from './failure.ts';
import { readCommand, type IncomingCommand } from './incoming-command.ts';
import { defaultRouterLimits, type RouterLimits } from './limits.ts';
import { ReleaseQueues } from './release-queues.ts';
import { shortenMessage } from './shorten.ts';
import { shutDown } from './shutdown.ts';

export interface RouterOptions {
  handlers: CommandHandlers;
  journal: Journal;
  log: Logger;
  /** Default: `defaultRouterLimits`. */
  limits?: RouterLimits;
}

/** Packets that are never replied to: two ends that reply to each other's would never stop. */
const noticeTypes = new Set([...Object.keys(agentMessageSchemas), ...Object.keys(controlPlaneMessageSchemas)]);

/** Reads frames, performs the commands in them, and replies to their senders. */
export class Router {
  readonly #handlers: CommandHandlers;
  readonly #log: Logger;
  readonly #admission: Admission;

  constructor({ handlers, journal, log, limits = defaultRouterLimits }: RouterOptions) {
    this.#handlers = handlers;
    this.#log = log;
    const execution = new Execution({
      journal,
      log,
      queues: new ReleaseQueues(limits.concurrency),
      cancel: (key) => this.#admission.cancel(key),
    });
    this.#admission = new Admission({ limits, durable: journal.durable, run: (job) => execution.run(job) });
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
   * Refuses new commands, cancels those that run, and resolves when all have sent their results.
   */
  async close(graceMs: number): Promise<void> {
    await shutDown(this.#admission.close(), graceMs, this.#log);
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
