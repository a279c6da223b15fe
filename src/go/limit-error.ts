import { GoError } from './value.ts';

/** A size limit was exceeded. Unlike other Go errors, nothing recovers from it. */
export class LimitError extends GoError {
  override readonly name: string = 'LimitError';
  readonly code = 'render_limit';
  /** File of the error, if it is known without a template. */
  readonly position?: { readonly file: string };

  constructor(message: string, file?: string) {
    super(message);
    if (file !== undefined) this.position = { file };
  }
}

/**
 * Maximum length of a text built from a value, in UTF-16 units. A small value that contains others
 * several times can expand without bound.
 */
const maxTextLength = 32 * 1024 * 1024;

/** Maximum nesting depth; a value that exceeds it contains itself. */
const maxDepth = 100_000;

/** Weight of a map or list in addition to its texts, for the time and memory it takes. */
export const nodeWeight = 128;

/** Limits the size of a text, or a copy, that is built from a value piece by piece. */
export class TextSize {
  #left = maxTextLength;

  /** Throws {@link LimitError} if the text becomes too large. */
  add(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw new LimitError(`a text of more than ${maxTextLength} characters is over the limit`);
  }

  /** Throws {@link LimitError} if a value is nested too deeply. */
  nest(depth: number): void {
    if (depth > maxDepth) throw new LimitError(`a value that nests deeper than ${maxDepth} is over the limit`);
  }
}
