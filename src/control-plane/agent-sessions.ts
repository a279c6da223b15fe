import { LRUCache } from 'lru-cache';
import type { Hello } from '../protocol/messages.ts';
import { encodePacket, type Packet } from '../protocol/packet.ts';
import { Outbox } from '../protocol/session/outbox.ts';
import { Session } from '../protocol/session/session.ts';

/** The packets between this process and one of an agent, across their connections. */
export class AgentSession {
  readonly session: Session<Packet>;
  /** The packets that the agent has not confirmed. */
  readonly outbox = new Outbox<Packet>({ lengthOf: ({ payload = '' }) => payload.length });
  /** Keys of the commands that the session has, or that the agent has received. */
  readonly sent = new Set<string>();
  /** Number of the newest connection. */
  connection = 0;

  constructor(epoch: string) {
    this.session = new Session({
      epoch,
      outbox: this.outbox,
      encode: (packet, seq) => encodePacket({ ...packet, seq }),
    });
  }
}

/** The sessions with processes of agents. */
export class AgentSessions {
  readonly #newEpoch: () => string;
  /** By agent id and instance id. */
  readonly #sessions: LRUCache<string, Map<string, AgentSession>>;

  /**
   * `max` is the number of agents of which sessions are kept; agents that are not connected have
   * one, too.
   */
  constructor(newEpoch: () => string, max: number) {
    this.#newEpoch = newEpoch;
    this.#sessions = new LRUCache({ max });
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
  open({ agentId, instanceId }: Hello, resume: NonNullable<Hello['resume']>): { own: AgentSession; isNew: boolean } {
    const known = this.get(agentId, instanceId);
    const isNew = known?.session.continues(resume) !== true;
    const own = isNew ? new AgentSession(this.#newEpoch()) : known;
    own.connection = resume.connection;
    own.session.greet(resume);
    const ofAgent = this.#sessions.get(agentId) ?? new Map<string, AgentSession>();
    this.#sessions.set(agentId, ofAgent.set(instanceId, own));
    return { own, isNew };
  }

  /** Forgets the packets for an agent, so that its next connection starts a new series. */
  restart(agentId: string, instanceId: string): void {
    const known = this.get(agentId, instanceId);
    if (!known) return;
    const next = new AgentSession(this.#newEpoch());
    next.connection = known.connection;
    this.#sessions.get(agentId)?.set(instanceId, next);
  }

  /** Forgets the sessions with all processes of an agent, or with all but some. */
  keepOnly(agentId: string, instanceIds: ReadonlySet<string> = new Set()): void {
    const ofAgent = this.#sessions.get(agentId);
    for (const instanceId of [...(ofAgent?.keys() ?? [])]) {
      if (!instanceIds.has(instanceId)) ofAgent?.delete(instanceId);
    }
  }
}
