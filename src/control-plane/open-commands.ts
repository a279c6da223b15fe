import { ControlPlaneError } from './error.ts';
import type { ControlPlaneLimits } from './limits.ts';
import type { CommandRecord } from './store/command-store.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** Bytes of a command that count towards limits. */
interface Sizes {
  /** Of the payload, until the agent has accepted the command. */
  payload: number;
  events: number;
}

const noSizes: Sizes = { payload: 0, events: 0 };

/** The commands that have no result yet, in the order in which they arrived, and their sizes. */
export class OpenCommands {
  readonly #limits: ControlPlaneLimits;
  readonly #byAgent = new Map<string, Map<TrackedCommand, Sizes>>();
  readonly #payloads = new Map<string, number>();
  /** The payloads, which commands share, by fingerprint. */
  readonly #texts = new Map<string, { readonly text: string; commands: number }>();
  #count = 0;
  #payloadBytes = 0;
  #eventBytes = 0;
  /** Bytes of events from which the oldest are dropped. */
  #trimAt: number;
  #isTrimming = false;

  constructor(limits: ControlPlaneLimits) {
    this.#limits = limits;
    this.#trimAt = limits.eventBytes;
  }

  add(command: TrackedCommand): void {
    const ofAgent = this.#byAgent.get(command.agentId) ?? new Map<TrackedCommand, Sizes>();
    this.#byAgent.set(command.agentId, ofAgent);
    if (!ofAgent.has(command)) this.#count++;
    this.#resize(command, sizesOf(command));
    this.#trim();
  }

  delete(command: TrackedCommand): void {
    const ofAgent = this.#byAgent.get(command.agentId);
    if (!ofAgent?.has(command)) return;
    this.#resize(command, noSizes);
    ofAgent.delete(command);
    this.#count--;
    if (ofAgent.size === 0) this.#byAgent.delete(command.agentId);
  }

  /** Notes that a command has changed. */
  update(command: TrackedCommand): void {
    const sizes = this.#byAgent.get(command.agentId)?.get(command);
    if (!sizes) return;
    this.#resize(command, {
      payload: command.record.payload === undefined ? 0 : sizes.payload,
      events: command.record.bytes,
    });
    this.#trim();
  }

  of(agentId: string): TrackedCommand[] {
    return [...(this.#byAgent.get(agentId)?.keys() ?? [])];
  }

  agentIds(): string[] {
    return [...this.#byAgent.keys()];
  }

  /** Returns a record with the same text in memory as another command with the same payload. */
  withSharedPayload(record: CommandRecord): CommandRecord {
    const { text } = this.#texts.get(record.fingerprint) ?? {};
    return text !== undefined && text === record.payload ? { ...record, payload: text } : record;
  }

  /** Returns why no command with a payload can be added for an agent. */
  refusal(agentId: string, payload: string): ControlPlaneError | undefined {
    const limits = this.#limits;
    if ((this.#byAgent.get(agentId)?.size ?? 0) >= limits.agentCommands) {
      return busy(`${limits.agentCommands} commands of the agent ${agentId} have no result yet`);
    }
    if (this.#count >= limits.commands) return busy(`${limits.commands} commands have no result yet`);
    const bytes = Buffer.byteLength(payload);
    if ((this.#payloads.get(agentId) ?? 0) + bytes > limits.agentPayloadBytes) {
      return busy(`the commands that wait for the agent ${agentId} have ${limits.agentPayloadBytes} bytes`);
    }
    if (this.#payloadBytes + bytes > limits.payloadBytes) {
      return busy(`the commands that wait for agents have ${limits.payloadBytes} bytes`);
    }
    return undefined;
  }

  #resize(command: TrackedCommand, sizes: Sizes): void {
    const { agentId } = command;
    const ofAgent = this.#byAgent.get(agentId);
    const before = ofAgent?.get(command) ?? noSizes;
    ofAgent?.set(command, sizes);
    if (before.payload === 0 && sizes.payload > 0) this.#hold(command.record);
    if (before.payload > 0 && sizes.payload === 0) this.#release(command.record);
    const difference = sizes.payload - before.payload;
    const payloads = (this.#payloads.get(agentId) ?? 0) + difference;
    if (payloads === 0) this.#payloads.delete(agentId);
    else this.#payloads.set(agentId, payloads);
    this.#payloadBytes += difference;
    this.#eventBytes += sizes.events - before.events;
  }

  #hold({ fingerprint, payload: text = '' }: CommandRecord): void {
    const shared = this.#texts.get(fingerprint) ?? { text, commands: 0 };
    shared.commands++;
    this.#texts.set(fingerprint, shared);
  }

  #release({ fingerprint }: CommandRecord): void {
    const shared = this.#texts.get(fingerprint);
    if (shared && --shared.commands === 0) this.#texts.delete(fingerprint);
  }

  /** Drops the oldest events of the commands that have most, if all together have too many. */
  #trim(): void {
    if (this.#isTrimming || this.#eventBytes <= this.#trimAt) return;
    this.#isTrimming = true;
    const share = this.#limits.eventBytes / 2 / this.#count;
    for (const ofAgent of this.#byAgent.values()) {
      for (const command of ofAgent.keys()) command.trimEvents(share);
    }
    this.#isTrimming = false;
    // the newest event of each command stays; not every further one has to go through all commands
    this.#trimAt = Math.max(this.#limits.eventBytes, this.#eventBytes * 2);
  }
}

function sizesOf({ record: { payload, bytes } }: TrackedCommand): Sizes {
  return { payload: payload === undefined ? 0 : Buffer.byteLength(payload), events: bytes };
}

function busy(reason: string): ControlPlaneError {
  return new ControlPlaneError('busy', `${reason}; try again later`);
}
