import { GoError } from './value.ts';

/** Something would be larger than is allowed. Unlike other errors of Go's, nothing recovers from it. */
export class LimitError extends GoError {
  override readonly name: string = 'LimitError';
  readonly code = 'render_limit';
  /** Where it is known without a template. */
  readonly position?: { readonly file: string };

  constructor(message: string, file?: string) {
    super(message);
    if (file !== undefined) this.position = { file };
  }
}

/**
 * The largest text, in UTF-16 units, that is made of a value: a value that holds others several times may be small and its text without end.
 */
const largestText = 32 * 1024 * 1024;

/** No value that is not part of itself nests as deep as this. */
const deepest = 100_000;

/** What a map or list counts besides the texts that it holds, for the time and the memory that it takes. */
export const nodeWeight = 128;

/** Watches how large a text grows that is made of a value piece by piece, or a copy. */
export class TextSize {
  #left = largestText;

  /** Throws {@link LimitError} where the text becomes too large. */
  add(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw new LimitError(`a text of more than ${largestText} characters is over the limit`);
  }

  /** Throws {@link LimitError} where a value is nested too deep. */
  nest(depth: number): void {
    if (depth > deepest) throw new LimitError(`a value that nests deeper than ${deepest} is over the limit`);
  }
}
