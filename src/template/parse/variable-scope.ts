/** What is declared at a place of a template, by name; of two with one name the inner one counts. */
export class VariableScope<T> {
  readonly #declared: string[] = [];
  readonly #byName = new Map<string, T[]>();

  declare(name: string, variable: T): void {
    this.#declared.push(name);
    const others = this.#byName.get(name);
    if (others === undefined) this.#byName.set(name, [variable]);
    else others.push(variable);
  }

  find(name: string): T | undefined {
    return this.#byName.get(name)?.at(-1);
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** How much is declared: {@link leave} goes back to it. */
  get size(): number {
    return this.#declared.length;
  }

  /** Forgets what was declared since then. */
  leave(size: number): void {
    while (this.#declared.length > size) this.#byName.get(this.#declared.pop() ?? '')?.pop();
  }
}
