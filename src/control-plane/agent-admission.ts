import { closeCodes } from '../protocol/close-codes.ts';
import type { Hello } from '../protocol/messages.ts';
import type { AgentConnection } from './agent-connection.ts';
import type { Copies, Incumbent } from './copies.ts';
import type { AgentIdentity } from './identity.ts';
import type { Logger } from './logger.ts';

export interface AgentAdmissionOptions {
  /** Returns the newest process of an agent that is connected. */
  newest: (agentId: string) => Incumbent | undefined;
  /** Whether a newer connection of the instance was accepted. */
  isLate: (hello: Hello) => boolean;
  /** Whether an agent has a key, which is then the only way to prove its id. */
  hasKey: (agentId: string) => boolean;
  /** Finds processes that have the identity of an agent and are not of its cluster. */
  copies: Pick<Copies, 'examine' | 'refused'>;
  log: Logger;
}

/** A process of an agent that has said `hello`. */
export interface Arrival {
  hello: Hello;
  /** The agent that the handshake proved to be; undefined if agents have no credentials. */
  identity: AgentIdentity | undefined;
  connection: Pick<AgentConnection, 'hold' | 'close' | 'closed'>;
}

interface Refusal {
  code: number;
  reason: string;
}

/** Decides which processes of agents may work. */
export class AgentAdmission {
  readonly #options: AgentAdmissionOptions;

  constructor(options: AgentAdmissionOptions) {
    this.#options = options;
  }

  /**
   * Calls back when a process may work, in this turn if nothing speaks against that, and closes its
   * connection if it may not. What it sends meanwhile waits.
   */
  admit(arrival: Arrival, enter: () => void): void {
    const { hello, connection } = arrival;
    const examined = this.#examine(arrival);
    if (examined === 'refused') return;
    if (examined) {
      const release = connection.hold();
      void this.#admitLater(arrival, examined, enter).finally(release);
      return;
    }
    this.#noteTakeover(hello);
    enter();
  }

  async #admitLater(arrival: Arrival, examined: Promise<boolean>, enter: () => void): Promise<void> {
    const { identity, connection } = arrival;
    const isCopy = await examined;
    if (connection.closed.aborted || identity?.revoked?.aborted === true) return;
    if (isCopy) {
      this.#refuseCopy(arrival);
      return;
    }
    const again = this.#examine(arrival); // another one may have entered
    if (again === 'refused') return;
    if (again) {
      await this.#admitLater(arrival, again, enter);
      return;
    }
    this.#noteTakeover(arrival.hello);
    enter();
  }

  /** Refuses a process, or returns whether it is a copy, once that is known; undefined if not. */
  #examine(arrival: Arrival): Promise<boolean> | 'refused' | undefined {
    const { copies, newest } = this.#options;
    const { hello, identity, connection } = arrival;
    const refusal = this.#refusalOf(arrival);
    if (refusal) {
      connection.close(refusal.code, refusal.reason);
      return 'refused';
    }
    return identity && copies.examine(hello, newest(hello.agentId));
  }

  #noteTakeover({ agentId, instanceId }: Hello): void {
    const { newest, log } = this.#options;
    const replaced = newest(agentId)?.agent.instanceId ?? instanceId;
    if (replaced === instanceId) return;
    const fields = { agentId, instanceId, replaced };
    log.warn(fields, 'a second instance of a connected agent takes over; if it is not an upgrade, check the token');
  }

  #refuseCopy({ hello: { agentId, instanceId }, connection }: Arrival): void {
    const { copies, log, newest } = this.#options;
    const fields = { agentId, instanceId, connected: newest(agentId)?.agent.instanceId };
    log.warn(fields, 'refused a second process of an agent that works; it may be of a copy of the cluster');
    copies.refused(agentId);
    const reason = 'another process of this agent works; this one may be of a copy of its cluster';
    connection.close(closeCodes.copied, reason);
  }

  /** Returns why the connection is closed at once; undefined if it is not. */
  #refusalOf({ hello, identity }: Arrival): Refusal | undefined {
    const { newest, isLate, hasKey, log } = this.#options;
    const { agentId, instanceId } = hello;
    if (identity && identity.agentId !== agentId) {
      log.warn({ agentId: identity.agentId, claimed: agentId }, 'refused an agent that claims the id of another');
      const reason = `this credential is that of another agent than ${agentId}`.slice(0, 120);
      return { code: closeCodes.wrongAgent, reason };
    }
    if (!identity && hasKey(agentId)) {
      log.warn({ agentId, instanceId }, 'refused an agent that has a key and did not prove it');
      return { code: closeCodes.notEnrolled, reason: 'this agent has a key, and must prove it' };
    }
    if (isLate(hello)) {
      log.info({ agentId, instanceId }, 'closing a connection that is older than another one of its agent');
      return { code: closeCodes.replaced, reason: 'a newer connection of this instance was accepted' };
    }
    const connected = newest(agentId)?.agent;
    if (!connected || connected.instanceId === instanceId || identity) return undefined;
    log.warn({ agentId, instanceId }, 'refused a second agent with the id of a connected one');
    return { code: closeCodes.replaced, reason: 'another agent is connected with this id' };
  }
}
