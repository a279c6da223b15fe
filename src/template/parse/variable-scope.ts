/**
 * Variables declared at a point of a template, by name; inner ones hide outer ones of the same
 * name.
 */
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

  /** Number of declared variables, for {@link leave}. */
  get size(): number {
    return this.#declared.length;
  }

  /** Removes the variables declared since there were `size`. */
  leave(size: number): void {
    while (this.#declared.length > size) this.#byName.get(this.#declared.pop() ?? '')?.pop();
  }
}
