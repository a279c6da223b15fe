/** Returns the shortest of some delays, or undefined if there is none. */
export function earliestOf(delays: readonly (number | undefined)[]): number | undefined {
  const delay = Math.min(...delays.map((one) => one ?? Infinity));
  return delay === Infinity ? undefined : delay;
}
