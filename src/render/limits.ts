/** How far a render may go; past any of these it fails with `render_limit`. */
export interface RenderLimits {
  /** Template actions and function calls. */
  steps: number;
  /** Bytes of text that one template makes. */
  outputBytes: number;
  /** Milliseconds for one render in a worker. */
  milliseconds: number;
  /** MiB of heap for a worker. */
  memoryMb: number;
}

/** More than any real chart needs. */
export const defaultRenderLimits: RenderLimits = {
  steps: 50_000_000,
  outputBytes: 100 * 1024 * 1024,
  milliseconds: 60_000,
  memoryMb: 1024,
};
