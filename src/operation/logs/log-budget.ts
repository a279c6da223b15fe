/** Bounds of the logs that an operation reports. */
export interface LogLimits {
  bytesPerSecond: number;
  /** Bytes that may be reported at once after a pause. */
  burst: number;
  /** Bytes that an operation reports in all. */
  total: number;
}

const defaultLogLimits: LogLimits = { bytesPerSecond: 64 * 1024, burst: 128 * 1024, total: 1024 * 1024 };

/** The bytes of logs that an operation may still report. */
export interface LogBudget {
  /** Whether nothing more may be reported. */
  readonly isSpent: boolean;
  /** Takes bytes if they may be reported now. Returns whether they may. */
  take(bytes: number): boolean;
}

/** Returns the budget of one operation. `clock` returns the time in milliseconds. */
export function createLogBudget(clock: () => number, limits: LogLimits = defaultLogLimits): LogBudget {
  let left = limits.total;
  let allowed = limits.burst;
  let last = clock();
  return {
    get isSpent() {
      return left <= 0;
    },
    take(bytes) {
      const now = clock();
      allowed = Math.min(limits.burst, allowed + (Math.max(0, now - last) / 1000) * limits.bytesPerSecond);
      last = now;
      if (left <= 0 || bytes > allowed) return false;
      allowed -= bytes;
      left -= bytes;
      return true;
    },
  };
}
