/** Characters that are kept. */
const maxCharacters = 256 * 1024;

/** Characters of a line. A longer one is left out: a part of it could be a part of a secret. */
const maxLine = 8 * 1024;

/** The newest log lines of this process. */
export class RecentLines {
  readonly #most: number;
  #lines: string[] = [];
  #first = 0;
  #characters = 0;

  constructor(most = maxCharacters) {
    this.#most = most;
  }

  /** Adds a line, with its line break. */
  add(given: string): void {
    const line = given.length > maxLine ? `(a line of ${given.length} characters is left out)\n` : given;
    this.#lines.push(line);
    this.#characters += line.length;
    while (this.#characters > this.#most) this.#characters -= this.#lines[this.#first++]?.length ?? this.#characters;
    // not for each line, because that would move all others
    if (this.#first * 2 <= this.#lines.length) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }

  text(): string {
    return this.#lines.slice(this.#first).join('');
  }
}
