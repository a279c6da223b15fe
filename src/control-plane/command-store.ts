import type { SentCommand } from './sent-command.ts';

/** How many finished commands are kept. */
const MAX_FINISHED = 500;

/** The commands that were sent, by key. What was finished first is forgotten first. */
export class CommandStore {
  readonly #commands = new Map<string, SentCommand>();
  readonly #finished: string[] = [];

  get(key: string): SentCommand | undefined {
    return this.#commands.get(key);
  }

  add(command: SentCommand): void {
    this.#commands.set(command.key, command);
    void command.result.then(() => this.#retire(command.key));
  }

  /** The agent's commands that have no result yet, in the order in which they were sent. */
  unfinishedOf(agentId: string): SentCommand[] {
    return [...this.#commands.values()].filter((command) => command.agentId === agentId && command.state !== 'done');
  }

  #retire(key: string): void {
    this.#finished.push(key);
    if (this.#finished.length <= MAX_FINISHED) return;
    const oldest = this.#finished.shift();
    if (oldest !== undefined) this.#commands.delete(oldest);
  }
}
