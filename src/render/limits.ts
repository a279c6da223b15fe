import type { FunctionLimits } from '../functions/limits.ts';
import { defaultLimits as defaultFunctionLimits } from '../functions/limits.ts';

/** How far a render may go; past any of these it fails with `render_limit`. docs/limits.md has their meaning for users. */
export interface RenderLimits extends FunctionLimits {
  /** Actions, iterations and calls of templates; large texts and lists that functions take or make count as many more. */
  steps: number;
  /** Bytes of text that one template makes. */
  outputBytes: number;
  /** How often a template may be included within itself; the same for macros and includes of Nunjucks. */
  includeDepth: number;
  /** Milliseconds for one render in a worker. */
  milliseconds: number;
  /** MiB that a worker's values and texts may take. */
  memoryMb: number;
}

/** More than any real chart needs. The depth is Helm's (pkg/engine/engine.go: recursionMaxNums). */
export const defaultRenderLimits: RenderLimits = {
  ...defaultFunctionLimits,
  steps: 50_000_000,
  outputBytes: 32 * 1024 * 1024,
  includeDepth: 1000,
  milliseconds: 60_000,
  memoryMb: 256,
};
