import { type Hello, type Journaled, maxJournaled } from '../protocol/messages.ts';
import type { Packet } from '../protocol/packet.ts';
import { auditOf } from './audit/audit-entry.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { CommandIndex } from './command-index.ts';
import { unfinishedPackets } from './connected-agent.ts';
import type { Logger } from './logger.ts';
import { newRecord } from './new-command.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** Differences between the clocks of agents and of the control plane, in milliseconds. */
const clockSlackMs = 3_600_000;

/** Number of commands that one agent may list. Its journal keeps 1000, and those that run. */
const maxListed = 2 * maxJournaled;

export interface LaterCommandsOptions {
  commands: Pick<CommandIndex, 'get' | 'add' | 'refusal'>;
  audit: Pick<AuditLog, 'add'>;
  log: Logger;
  now: () => Date;
  /** Number of agents that are asked. */
  maxAgents: number;
}

/**
 * The commands that agents have accepted after the backup from which the control plane has started.
 * Each agent is asked for them, and they are added without payload and sender, so that the agent is
 * then asked for their results, as after a restart (ADR 58).
 */
export class LaterCommands {
  readonly #options: LaterCommandsOptions;
  /** The agents that were asked, by id, with the number of commands that they may still list. */
  readonly #asked = new Map<string, { left: number; hasReplied: boolean }>();
  /** Time in milliseconds; undefined if no agent is to be asked. */
  #after: number | undefined;

  constructor(options: LaterCommandsOptions) {
    this.#options = options;
  }

  /** Asks agents for commands after a backup. `madeAt` is a time in milliseconds. */
  open(madeAt: number | undefined): void {
    this.#after = madeAt === undefined ? undefined : madeAt - clockSlackMs;
  }

  /** Returns the packet that asks an agent; undefined if it has replied, or is not to be asked. */
  request({ agentId, packets }: Hello): Packet | undefined {
    if (this.#after === undefined || packets?.includes('journaled') !== true) return undefined;
    const asked = this.#asked.get(agentId);
    if (asked ? asked.hasReplied : this.#asked.size >= this.#options.maxAgents) return undefined;
    if (!asked) this.#asked.set(agentId, { left: maxListed, hasReplied: false });
    return { type: 'journal', payload: JSON.stringify({ after: new Date(this.#after).toISOString() }) };
  }

  /**
   * Adds those commands of the list of an agent that are not known. Returns the packets that ask
   * for their results.
   */
  add({ agentId, instanceId, durable = false }: Hello, { commands: listed }: Journaled): Packet[] {
    const { commands, audit, log, now } = this.#options;
    const asked = this.#asked.get(agentId);
    if (!asked || this.#after === undefined) {
      log.warn({ agentId }, 'ignored a list of commands for which the agent was not asked');
      return [];
    }
    asked.hasReplied = true;
    const added: TrackedCommand[] = [];
    for (const { acceptedAt, ...fields } of listed.slice(0, asked.left)) {
      const createdAt = Math.min(Date.parse(acceptedAt), now().getTime());
      if (createdAt <= this.#after || commands.get(fields.key) || !fields.key.isWellFormed()) continue;
      const refusal = commands.refusal(agentId, '');
      if (refusal) {
        log.warn({ agentId, reason: refusal.message }, 'left out commands that an agent knows');
        break;
      }
      const record = newRecord({ ...fields, agentId, instanceId, payload: undefined, createdAt });
      const command = commands.add({ ...record, state: 'accepted', isDurable: durable }, () => undefined);
      audit.add({ action: 'command found', decision: 'allowed', outcome: 'ok', ...auditOf(command) });
      added.push(command);
    }
    asked.left = Math.max(0, asked.left - listed.length);
    if (added.length > 0) {
      const fields = { agentId, commands: added.length, first: added[0]?.key };
      log.info(fields, 'found commands that are later than the backup; asking the agent for their results');
    }
    return unfinishedPackets(added);
  }
}
