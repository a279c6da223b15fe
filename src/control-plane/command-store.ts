import type { TrackedCommand } from './tracked-command.ts';

/** Number of finished commands that are kept. */
const maxFinished = 500;

/** The commands that were sent, by key. The command that finished first is forgotten first. */
export class CommandStore {
  readonly #commands = new Map<string, TrackedCommand>();
  readonly #finished: string[] = [];

  get(key: string): TrackedCommand | undefined {
    return this.#commands.get(key);
  }

  add(command: TrackedCommand): void {
    this.#commands.set(command.key, command);
    void command.result.then(() => this.#retire(command.key));
  }

  /** Returns the agent's commands that have no result yet, in the order in which they were sent. */
  unfinishedOf(agentId: string): TrackedCommand[] {
    return [...this.#commands.values()].filter((command) => command.agentId === agentId && command.state !== 'done');
  }

  #retire(key: string): void {
    this.#finished.push(key);
    if (this.#finished.length <= maxFinished) return;
    const oldest = this.#finished.shift();
    if (oldest !== undefined) this.#commands.delete(oldest);
  }
}
