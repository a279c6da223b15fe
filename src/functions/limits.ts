import { LimitError } from '../go/limit-error.ts';
import { defaultAliasedNodes } from '../yaml/read.ts';

/** What one call of a function may make at most, so that a chart cannot take all memory. */
export interface FunctionLimits {
  /** Elements of a list. */
  readonly listElements: number;
  /** Bytes of a string. */
  readonly textBytes: number;
  /** Nodes of a YAML text that come out of aliases; go-yaml's own rule, which compares them with all nodes, counts as well. */
  readonly aliasedNodes: number;
}

/** More than any real chart needs. */
export const defaultLimits: FunctionLimits = {
  listElements: 1_000_000,
  textBytes: 16 * 1024 * 1024,
  aliasedNodes: defaultAliasedNodes,
};

/** Throws `LimitError` where a list would have more elements than allowed. */
export function checkElements(count: number, limits: FunctionLimits): void {
  if (count > limits.listElements) {
    throw new LimitError(`a list of ${count} elements is over the limit of ${limits.listElements}`);
  }
}

/** Throws `LimitError` where a string would have more bytes than allowed. */
export function checkBytes(count: number, limits: FunctionLimits): void {
  if (count > limits.textBytes) {
    throw new LimitError(`a string of ${count} bytes is over the limit of ${limits.textBytes}`);
  }
}
