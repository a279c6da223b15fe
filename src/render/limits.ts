import type { FunctionLimits } from '../functions/limits.ts';
import { defaultLimits as defaultFunctionLimits } from '../functions/limits.ts';

/**
 * Limits of one render. A render that exceeds one of them fails with `render_limit`. See
 * docs/limits.md.
 */
export interface RenderLimits extends FunctionLimits {
  /**
   * Actions, iterations and template calls. Large texts and lists in arguments and results of
   * functions count as several steps.
   */
  steps: number;
  /** Bytes of text that one template may write. */
  outputBytes: number;
  /** Depth to which a template may include itself; for Nunjucks, nesting of macros and includes. */
  includeDepth: number;
  /** Time of one render in a worker, in milliseconds. */
  milliseconds: number;
  /** Memory of a worker's values and texts, in MiB. */
  memoryMb: number;
}

/** Default limits. The include depth is Helm's (pkg/engine/engine.go: recursionMaxNums). */
export const defaultRenderLimits: RenderLimits = {
  ...defaultFunctionLimits,
  steps: 50_000_000,
  outputBytes: 32 * 1024 * 1024,
  includeDepth: 1000,
  milliseconds: 20_000,
  memoryMb: 128,
};
