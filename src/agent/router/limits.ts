export interface RouterLimits {
  /** Number of operations that run at a time. Default: 8. */
  concurrency: number;
  /** Number of operations that run or wait. Default: 1000. */
  maxOperations: number;
  /** Number of reading commands that run; they never wait. Default: 64. */
  maxReads: number;
  /** Number of commands that follow something, and are not reads. Default: 64. */
  maxFollows: number;
  /** Bytes of the payloads of all commands that run or wait. Default: 64 MiB. */
  maxBytes: number;
}

export const defaultRouterLimits: RouterLimits = {
  concurrency: 8,
  maxOperations: 1000,
  maxReads: 64,
  maxFollows: 64,
  maxBytes: 64 * 1024 * 1024,
};
