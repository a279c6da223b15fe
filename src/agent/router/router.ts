import type { Journal, UnfinishedCommand } from '../../journal/index.ts';
import type { AgentRecorder } from '../../metrics/agent-metrics.ts';
import { silentRecorder } from '../../metrics/metric-table.ts';
import type { Policy } from '../../policy/policy-file.ts';
import { defaultRights, type Right } from '../../protocol/commands/definition.ts';
import { commandTable } from '../../protocol/commands/index.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import {
  agentMessageSchemas,
  controlPlaneMessageSchemas,
  journalSchema,
  type Result,
  unfinishedSchema,
} from '../../protocol/messages.ts';
import { decodeFrame, type Packet, PacketError } from '../../protocol/packet.ts';
import { decodePayload } from '../../protocol/payload.ts';
import type { Rights } from '../../rights/rights-file.ts';
import { memorySignatureStore, UsedSignatures } from '../../signatures/used-signatures.ts';
import { noTracing, type Tracing } from '../../tracing/tracing.ts';
import type { HandlersByType } from '../commands/command-handler.ts';
import type { Logger } from '../logger.ts';
import { Admission, type ConnectedPeer } from './admission.ts';
import { Authorization } from './authorization.ts';
import { CommandMeasures } from './command-measures.ts';
import { CommandError } from './errors.ts';
import { Execution } from './execution.ts';
import { failureOf } from './failure.ts';
import { type AgentCommands, type IncomingCommand, readCommand } from './incoming-command.ts';
import { defaultRouterLimits, type RouterLimits } from './limits.ts';
import { listJournal, recall } from './recall.ts';
import { ReleaseQueues } from './release-queues.ts';
import { shortenMessage } from './shorten.ts';
import { abandonOperations, isWithin, shutDown } from './shutdown.ts';

export interface RouterOptions {
  /** The commands that are known. Default: those of helm-agent. */
  table?: CommandTable;
  handlers: HandlersByType;
  journal: Journal;
  log: Logger;
  /** Id of this process. */
  instanceId: string;
  now: () => Date;
  /** Default: measurements are dropped. */
  recorder?: AgentRecorder | undefined;
  /** Begins spans for commands. Default: none. */
  tracing?: Tracing | undefined;
  /** Default: `defaultRouterLimits`. */
  limits?: RouterLimits;
  /**
   * Time for which a command that may have ended processes runs before the next one like it, in
   * milliseconds. Default: 20,000.
   */
  probationMs?: number;
  /** The rights whose commands are performed. Default: `defaultRights`. */
  allowedRights?: readonly Right[] | undefined;
  /** Maps commands to the service accounts that perform them. Default: the agent performs them. */
  rights?: Rights | undefined;
  /** The policy of the owner of the cluster. Default: everything is allowed. */
  policy?: Policy | undefined;
  /** Id of the agent, to which commands are signed. Default: none, so that no signature counts. */
  agentId?: string | undefined;
  /** Where used signatures are noted. Default: in memory. */
  usedSignatures?: UsedSignatures | undefined;
}

/** Processes that a command may end by being continued. */
const maxFailedContinuations = 2;

/** Time to store that the process ends orderly. */
const leaveMs = 1000;

/** Packets that are never replied to: two ends that reply to each other's would never stop. */
const noticeTypes = new Set([...Object.keys(agentMessageSchemas), ...Object.keys(controlPlaneMessageSchemas)]);

/** A command that an earlier process has left, with its packet read. */
interface LeftCommand extends UnfinishedCommand {
  command: IncomingCommand;
}

/**
 * Number of packets `unfinished` that are handled at a time. A control plane has fewer commands
 * than they name.
 */
const maxRecalls = 100;

/** Reads frames, performs the commands in them, and replies to their senders. */
export class Router {
  readonly #commands: AgentCommands;
  readonly #journal: Journal;
  readonly #log: Logger;
  readonly #admission: Admission;
  readonly #recalls = new Set<Promise<void>>();
  /** Numbers of commands that run and that wait. */
  readonly commands: Readonly<Pick<CommandMeasures, 'running' | 'waiting'>>;

  constructor({
    table = commandTable,
    handlers,
    journal,
    log,
    instanceId,
    now,
    limits = defaultRouterLimits,
    ...rest
  }: RouterOptions) {
    const measures = new CommandMeasures(rest.recorder ?? silentRecorder(), rest.tracing ?? noTracing);
    this.commands = measures;
    this.#commands = { table, handlers, allowedRights: rest.allowedRights ?? defaultRights };
    this.#log = log;
    const execution = new Execution({
      journal,
      log,
      now,
      measures,
      queues: new ReleaseQueues(limits.concurrency),
      probationMs: rest.probationMs ?? 20_000,
      authorization: new Authorization({
        rights: rest.rights,
        policy: rest.policy,
        agentId: rest.agentId ?? '',
        usedSignatures: rest.usedSignatures ?? new UsedSignatures(memorySignatureStore(), () => now().getTime()),
      }),
      cancel: (key, mode) => this.#admission.cancel(key, mode),
    });
    const { durable } = journal;
    this.#journal = journal;
    this.#admission = new Admission({ limits, durable, instanceId, run: (job) => execution.run(job) });
  }

  /**
   * Continues the commands that an earlier process has left, except those that have ended several
   * processes. Calls `recover` with the keys of the releases whose commands are continued; commands
   * on a release with one that is not continued start after it. Rejects if the journal cannot be
   * read.
   */
  async resume(recover: (releases: ReadonlySet<string>) => Promise<void> = () => Promise.resolve()): Promise<void> {
    const left: LeftCommand[] = [];
    for (const command of await this.#journal.takeOver()) left.push(...(await this.#readLeft(command)));
    const [ended, others] = partition(left, ({ failedContinuations: count }) => count >= maxFailedContinuations);
    for (const { key, failedContinuations, command } of ended) {
      await this.#giveUp(key, tooOften(failedContinuations + 1), command.changes);
    }
    // a process that crashes while it continues several commands says little about each
    const together = others.filter(({ isSuspect }) => !isSuspect).map(({ command }) => command.changes);
    const isAlone = new Set(together).size <= 1;
    const unfinished = new Set(ended.map(({ command }) => command.changes));
    const [later, now] = partition(others, ({ command }) => unfinished.has(command.changes));
    for (const { command, ...one } of now) this.#admission.resume(command, one, isAlone);
    await recover(new Set(now.flatMap(({ command }) => command.changes ?? [])));
    for (const { command, ...one } of later) this.#admission.resume(command, one, isAlone);
  }

  /**
   * Handles a frame. Never throws: the peer gets an error for a bad frame. Returns whether the
   * frame has a command or a notice that a well-behaved peer can send.
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
    if (packet.type === 'journal') return this.#list(packet, peer);
    if (noticeTypes.has(packet.type)) {
      this.#log.debug({ type: packet.type }, 'received a notice');
      return true;
    }
    let command: IncomingCommand;
    try {
      command = readCommand(packet, this.#commands);
    } catch (error) {
      this.#refuse(peer, packet, error);
      return false;
    }
    try {
      this.#admission.admit(command, peer);
    } catch (error) {
      this.#refuse(peer, packet, error);
      return peer.isFull !== true;
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
    const commands = this.#admission.close();
    await Promise.all([shutDown(commands, graceMs, this.#log), isWithin(leaveMs, this.#journal.leave())]);
    this.#journal.close();
    await Promise.all(this.#recalls);
  }

  /** Sends what is known about the commands for which the peer has no result. */
  #recall(packet: Packet, peer: ConnectedPeer): boolean {
    try {
      const { keys } = decodePayload(unfinishedSchema, packet.payload);
      if (peer.isFull === true || this.#recalls.size >= maxRecalls) {
        this.#log.warn({}, 'refused to look for commands: too many replies wait, or too many packets ask for them');
        return false;
      }
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

  /** Sends the commands of the journal, of which the peer may know none. */
  #list(packet: Packet, peer: ConnectedPeer): boolean {
    try {
      const { after } = decodePayload(journalSchema, packet.payload);
      if (peer.isFull === true) {
        this.#log.warn({}, 'refused to list the commands of the journal: too many replies wait');
        return false;
      }
      listJournal(Date.parse(after), peer, this.#journal);
      return true;
    } catch (error) {
      this.#refuse(peer, packet, error);
      return false;
    }
  }

  /**
   * Returns nothing for a command that this version does not know, or that is not allowed any more,
   * which is given up.
   */
  async #readLeft(left: UnfinishedCommand): Promise<LeftCommand[]> {
    const { key, type, payload, isAnonymous, traceparent, envelope } = left;
    const packet = {
      ...{ type, payload },
      ...(!isAnonymous && { key }),
      ...(traceparent !== undefined && { traceparent }),
      ...(envelope !== undefined && { envelope }),
    };
    try {
      return [{ ...left, command: readCommand(packet, this.#commands) }];
    } catch (error) {
      await this.#giveUp(key, error);
      return [];
    }
  }

  /** Ends a command of the journal without continuing it. */
  async #giveUp(key: string, reason: unknown, release?: string): Promise<void> {
    const error = failureOf(reason);
    this.#log.error({ key, release, code: error.code }, 'cannot continue a command of the journal');
    try {
      await this.#journal.finish(key, JSON.stringify({ ok: false, error } satisfies Result));
    } catch (problem) {
      this.#log.warn({ key, release, code: failureOf(problem).code }, 'cannot journal a result');
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
    const knownType = type !== undefined && this.#commands.table.find(type) ? type : undefined;
    this.#log.warn({ key, type: knownType, code: failure.code }, 'refused a packet');
    const result: Result = { ok: false, error: failure };
    peer.reply({ kind: 'result', key, type, payload: JSON.stringify(result) });
  }
}

function tooOften(processes: number): CommandError {
  return new CommandError(
    'continued_too_often',
    `${processes} processes of the agent have ended while they ran the command, so it is not continued and the release is left as it is; find out why they ended, for example for want of memory, before you send it again`,
  );
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
