import type { TrackedCommand } from './tracked-command.ts';

/** Number of finished commands that are kept. */
const maxFinished = 500;

/** Bytes of the packets of their events. */
const maxFinishedBytes = 32 * 1024 * 1024;

/** The commands that were sent, by key. The command that finished first is forgotten first. */
export class CommandStore {
  readonly #commands = new Map<string, TrackedCommand>();
  readonly #finished: TrackedCommand[] = [];
  #finishedBytes = 0;

  get(key: string): TrackedCommand | undefined {
    return this.#commands.get(key);
  }

  add(command: TrackedCommand): void {
    this.#commands.set(command.key, command);
    void command.result.then(() => this.#retire(command));
  }

  /** Returns the agent's commands that have no result yet, in the order in which they were sent. */
  unfinishedOf(agentId: string): TrackedCommand[] {
    return [...this.#commands.values()].filter((command) => command.agentId === agentId && command.state !== 'done');
  }

  #retire(command: TrackedCommand): void {
    this.#finished.push(command);
    this.#finishedBytes += command.bytes;
    // the newest stays, however large it is: its sender still wants the result
    while (
      this.#finished.length > 1 &&
      (this.#finished.length > maxFinished || this.#finishedBytes > maxFinishedBytes)
    ) {
      const oldest = this.#finished.shift();
      if (!oldest) return;
      this.#finishedBytes -= oldest.bytes;
      this.#commands.delete(oldest.key);
    }
  }
}
