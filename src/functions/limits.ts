import { LimitError } from '../go/limit-error.ts';
import { defaultAliasedNodes } from '../yaml/read.ts';

/** Limits for a single function call, so that a chart cannot exhaust memory. */
export interface FunctionLimits {
  /** Elements of a list. */
  readonly listElements: number;
  /** Bytes of a string. */
  readonly textBytes: number;
  /**
   * Nodes that YAML aliases expand to. go-yaml's own limit, relative to all nodes, applies as well.
   */
  readonly aliasedNodes: number;
}

/** Default limits: more than any real chart needs. */
export const defaultLimits: FunctionLimits = {
  listElements: 1_000_000,
  textBytes: 16 * 1024 * 1024,
  aliasedNodes: defaultAliasedNodes,
};

/** Throws `LimitError` if a list of `count` elements exceeds the limit. */
export function checkElements(count: number, limits: FunctionLimits): void {
  if (count > limits.listElements) {
    throw new LimitError(`a list of ${count} elements exceeds the limit of ${limits.listElements}`);
  }
}

/** Throws `LimitError` if a string of `count` bytes exceeds the limit. */
export function checkBytes(count: number, limits: FunctionLimits): void {
  if (count > limits.textBytes) {
    throw new LimitError(`a string of ${count} bytes exceeds the limit of ${limits.textBytes}`);
  }
}
