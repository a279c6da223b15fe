/** Times of leader election, in milliseconds. */
export interface ElectionTimes {
  /**
   * Time without a change of the Lease after which another process takes it. Whole seconds.
   * Default: 15,000.
   */
  leaseDuration: number;
  /** Time without a renewal after which the leader stops. Default: 10,000. */
  renewDeadline: number;
  /** Time between two attempts to acquire or renew the Lease. Default: 2000. */
  retryPeriod: number;
}

/** The defaults of client-go. */
export const defaultElectionTimes: ElectionTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2000 };

/** Each attempt of a process that waits is late by up to this multiple of the retry period. */
export const jitterFactor = 1.2;

/** Returns what is wrong with times, or undefined. The rules are those of client-go. */
export function electionTimesProblem({ leaseDuration, renewDeadline, retryPeriod }: ElectionTimes): string | undefined {
  if (leaseDuration % 1000 !== 0) return 'the lease duration must be whole seconds';
  if (retryPeriod <= 0) return 'the retry period must be above 0';
  if (renewDeadline <= retryPeriod * jitterFactor) {
    return `the renew deadline must be more than ${jitterFactor} times the retry period`;
  }
  if (leaseDuration <= renewDeadline) return 'the lease duration must be more than the renew deadline';
  return undefined;
}
