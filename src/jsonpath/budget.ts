/** Thrown if an evaluation takes more steps than it may. */
export class JsonPathBudgetError extends Error {
  override readonly name = 'JsonPathBudgetError';
}

/** Characters that are as much work as one value. */
const charactersPerStep = 64;

/** The steps that an evaluation may still take. */
export class JsonPathBudget {
  readonly #limit: number;
  #left: number;

  /** `limit` is the number of steps: a value that is visited or returned is one. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Throws {@link JsonPathBudgetError} if fewer steps are left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new JsonPathBudgetError(`takes more than ${this.#limit} steps`);
  }

  /** Spends the steps for a text that is printed or compared. */
  spendText(text: string): void {
    this.spend(1 + text.length / charactersPerStep);
  }
}
