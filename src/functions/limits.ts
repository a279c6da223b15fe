import { GoError } from '../go/value.ts';

/** What one call of a function may make at most, so that a chart cannot take all memory. */
export interface FunctionLimits {
  /** Elements of a list. */
  readonly elements: number;
  /** Bytes of a string. */
  readonly bytes: number;
}

/** More than any real chart needs. */
export const defaultLimits: FunctionLimits = { elements: 10_000_000, bytes: 100 * 1024 * 1024 };

/** A function was asked for more than {@link FunctionLimits} allow. */
export class FunctionLimitError extends GoError {
  override readonly name: string = 'FunctionLimitError';
  readonly code = 'render_limit';
}

/** Throws where a list would have more elements than allowed. */
export function checkElements(count: number, limits: FunctionLimits): void {
  if (count > limits.elements) {
    throw new FunctionLimitError(`a list of ${count} elements is over the limit of ${limits.elements}`);
  }
}

/** Throws where a string would have more bytes than allowed. */
export function checkBytes(count: number, limits: FunctionLimits): void {
  if (count > limits.bytes) {
    throw new FunctionLimitError(`a string of ${count} bytes is over the limit of ${limits.bytes}`);
  }
}
