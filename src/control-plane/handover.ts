import type { TrackedCommand } from './tracked-command.ts';

/** The connection of a process that gets commands. */
export interface HandoverLink {
  send(command: TrackedCommand): void;
  /** Calls back when the process has answered a ping. */
  ping(onPong: () => void): void;
}

export interface HandoverOptions {
  /**
   * Age in milliseconds of a process before it gets a suspect. It is five times as long for a
   * suspect with which a process has ended, so that a process that always ends at the same age for
   * another reason does not end with the same suspect again.
   */
  suspectAgeMs: number;
  now: () => Date;
}

const ageFactor = 5;

/**
 * Number of processes that end with a suspect before it is not sent again. One more has ended
 * before, with this command or with another one.
 */
const maxLostProcesses = 2;

/**
 * Gives commands to one process of an agent. A suspect is a command that an earlier process had not
 * answered when it ended. As long as there are suspects, all commands are sent one at a time in
 * their order, each when the one before was answered, so that it is known which one ends the
 * process. Suspects are only sent to a process that has just answered a ping.
 */
export class Handover {
  readonly #options: HandoverOptions;
  readonly #start: number;
  readonly #held = new Set<TrackedCommand>();
  readonly #unanswered = new Set<TrackedCommand>();
  readonly #suspects = new Set<TrackedCommand>();
  #link: HandoverLink | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The suspect for which the process is asked whether it responds. */
  #next: TrackedCommand | undefined;

  /** `start` is the time in milliseconds from which the process is known. Default: now. */
  constructor(options: HandoverOptions, start = options.now().getTime()) {
    this.#options = options;
    this.#start = start;
  }

  /** Time in milliseconds from which the process is known. */
  get start(): number {
    return this.#start;
  }

  connect(link: HandoverLink): void {
    this.disconnect();
    this.#link = link;
    this.#sendNext();
  }

  disconnect(): void {
    this.#link = undefined;
    this.#next = undefined;
    clearTimeout(this.#timer);
  }

  /** Sends a command, or holds it until it is its turn. */
  add(command: TrackedCommand): void {
    this.#held.add(command);
    if (command.lostProcesses) this.#suspects.add(command);
    this.#sendNext();
  }

  /** Notes that the process has sent a packet about a command, so that this has not ended it. */
  answered(command: TrackedCommand): void {
    const wasSuspect = this.#suspects.delete(command);
    const wasUnanswered = this.#unanswered.delete(command);
    if ((wasSuspect || wasUnanswered) && this.#held.size > 0) this.#sendNext();
  }

  /**
   * Returns the processes that count as lost with a command after this one has ended. The first one
   * only makes it a suspect: several commands may not have been answered.
   */
  lostWith(command: TrackedCommand, processId: string): readonly string[] | undefined {
    const { lostProcesses } = command;
    dropEnded(this.#unanswered);
    if (!this.#unanswered.has(command)) return lostProcesses;
    // a suspect was the only one
    return lostProcesses === undefined ? [] : [...lostProcesses, processId];
  }

  #sendNext(): void {
    const link = this.#link;
    if (!link) return;
    dropEnded(this.#suspects);
    const isCareful = this.#suspects.size > 0;
    if (isCareful) dropEnded(this.#unanswered);
    for (const command of this.#held) {
      if (command.packet !== undefined) {
        if (isCareful && !this.#mayBeNext(command, link)) return;
        this.#unanswered.add(command);
        link.send(command);
      }
      this.#held.delete(command);
    }
  }

  /** Whether a command can be sent while there are suspects. */
  #mayBeNext(command: TrackedCommand, link: HandoverLink): boolean {
    if (this.#unanswered.size > 0) return false;
    const { lostProcesses } = command;
    if (!lostProcesses) return true;
    if (this.#next !== command) this.#ask(command, lostProcesses.length > 0 ? ageFactor : 1, link);
    return false;
  }

  /** Sends a suspect when the process is old enough and has answered a ping. */
  #ask(command: TrackedCommand, factor: number, link: HandoverLink): void {
    const { now, suspectAgeMs } = this.#options;
    this.#next = command;
    const age = now().getTime() - this.#start;
    const delay = Math.min(Math.max(suspectAgeMs * factor - age, 0), suspectAgeMs * factor);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => link.ping(() => this.#onPong(command, link)), delay);
  }

  #onPong(command: TrackedCommand, link: HandoverLink): void {
    if (this.#link !== link || this.#next !== command) return;
    this.#next = undefined;
    if (this.#unanswered.size === 0 && this.#held.delete(command) && command.packet !== undefined) {
      this.#unanswered.add(command);
      link.send(command);
    }
    this.#sendNext();
  }
}

/** Returns why a command is not sent again; undefined if it is. */
export function lostTooMany(agentId: string, lostProcesses: readonly string[] = []): string | undefined {
  if (lostProcesses.length < maxLostProcesses) return undefined;
  const processes = maxLostProcesses + 1;
  return `${processes} processes of the agent ${agentId} have ended when they got the command, before they had accepted it, so it is not sent again; find out why they ended, and check the release before you send it again`;
}

function dropEnded(commands: Set<TrackedCommand>): void {
  for (const command of commands) {
    if (command.packet === undefined) commands.delete(command);
  }
}
