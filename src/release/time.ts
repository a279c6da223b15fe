const nanosPerSecond = 1_000_000_000n;

/** The time in UTC as Go's RFC3339Nano writes it. `nanos` counts from the Unix epoch. */
export function formatTime(nanos: bigint): string {
  const fraction = ((nanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const seconds = new Date(Number((nanos - fraction) / 1_000_000n)).toISOString().slice(0, -'.000Z'.length);
  const digits = fraction.toString().padStart(9, '0').replace(/0+$/, '');
  return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`;
}

/** Whole seconds since the Unix epoch, as Helm writes them into labels. */
export function unixSeconds(nanos: bigint): string {
  return (nanos / nanosPerSecond).toString();
}
