import type { LRUCache } from 'lru-cache';
import type { Hello } from '../protocol/messages.ts';
import { encodePacket, type Packet } from '../protocol/packet.ts';
import { Outbox } from '../protocol/session/outbox.ts';
import { Session } from '../protocol/session/session.ts';
import { agentCache } from './agent-cache.ts';
import { Handover, type HandoverOptions } from './handover.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** The packets between this process and one of an agent, across their connections. */
export class AgentSession {
  readonly session: Session<Packet>;
  /** The packets that the agent has not confirmed. */
  readonly outbox = new Outbox<Packet>({ lengthOf: ({ payload = '' }) => payload.length });
  /** Keys of the commands that the session has, or that the agent has received. */
  readonly sent = new Set<string>();
  /** Gives commands to the process. */
  readonly handover: Handover;
  /** Id of the process in all its terms as the leader. */
  readonly processId: string;
  /** Number of the newest connection. */
  connection = 0;
  /** Whether the newest connection is lost, and neither end has closed it. */
  isCut = false;

  constructor(epoch: string, processId: string, handover: Handover) {
    this.processId = processId;
    this.handover = handover;
    this.session = new Session({
      epoch,
      outbox: this.outbox,
      encode: (packet, seq) => encodePacket({ ...packet, seq }),
    });
  }
}

export interface AgentSessionsOptions extends HandoverOptions {
  /** Returns a new random id. */
  newEpoch: () => string;
  /** Number of agents of which sessions are kept; agents that are not connected have one, too. */
  max: number;
}

/** The sessions with processes of agents. */
export class AgentSessions {
  readonly #options: AgentSessionsOptions;
  /** By agent id and instance id. */
  readonly #sessions: LRUCache<string, Map<string, AgentSession>>;

  constructor(options: AgentSessionsOptions) {
    this.#options = options;
    this.#sessions = agentCache(options.max);
  }

  get(agentId: string, instanceId: string): AgentSession | undefined {
    return this.#sessions.get(agentId)?.get(instanceId);
  }

  /** Whether the connection of a `hello` is older than one that was accepted. */
  isLate({ agentId, instanceId, resume }: Hello): boolean {
    const { connection = 0 } = this.get(agentId, instanceId) ?? {};
    return resume !== undefined && resume.connection <= connection;
  }

  /**
   * Returns the session of an agent that resumes. It is a new one if this process has none, or if
   * packets of the agent are missing that it does not have any more.
   */
  open(hello: Hello, resume: NonNullable<Hello['resume']>): { own: AgentSession; isNew: boolean } {
    const { agentId, instanceId } = hello;
    const known = this.get(agentId, instanceId);
    const isNew = known?.session.continues(resume) !== true;
    const own = isNew ? this.#create(processIdOf(hello), known) : known;
    own.connection = resume.connection;
    own.isCut = false;
    own.session.greet(resume);
    const ofAgent = this.#sessions.get(agentId) ?? new Map<string, AgentSession>();
    this.#sessions.set(agentId, ofAgent.set(instanceId, own));
    return { own, isNew };
  }

  /** Forgets the packets for an agent, so that its next connection starts a new series. */
  restart(agentId: string, instanceId: string): void {
    const known = this.get(agentId, instanceId);
    if (!known) return;
    const next = this.#create(known.processId, known);
    next.connection = known.connection;
    this.#sessions.get(agentId)?.set(instanceId, next);
  }

  /** Forgets the sessions with an agent. */
  forget(agentId: string): void {
    this.#sessions.delete(agentId);
  }

  /** Forgets the sessions with other processes of an agent. */
  keepOnly(agentId: string, instanceIds: ReadonlySet<string>): void {
    const ofAgent = this.#sessions.get(agentId);
    for (const instanceId of [...(ofAgent?.keys() ?? [])]) {
      if (!instanceIds.has(instanceId)) ofAgent?.delete(instanceId);
    }
  }

  /** Returns the processes that count as lost with a command when a new one gets it. */
  lostWith(command: TrackedCommand, newest: Hello): readonly string[] | undefined {
    const before = this.get(command.agentId, command.instanceId ?? '');
    const processId = processIdOf(newest);
    // a process that continues in another term, or that was stopped, was not ended by a command
    const isLost = before?.isCut === true && before.processId !== processId;
    const lost = isLost ? before.handover.lostWith(command, before.processId) : command.lostProcesses;
    return lost?.filter((id) => id !== processId);
  }

  #create(processId: string, before: AgentSession | undefined): AgentSession {
    before?.handover.disconnect();
    const handover = new Handover(this.#options, before?.handover.start);
    return new AgentSession(this.#options.newEpoch(), processId, handover);
  }
}

/** Returns the id of an agent's process in all its terms as the leader. */
export function processIdOf({ instanceId, processId = instanceId }: Hello): string {
  return processId;
}
