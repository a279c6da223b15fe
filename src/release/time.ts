const nanosPerSecond = 1_000_000_000n;

/** Formats nanoseconds since the Unix epoch like Go's RFC3339Nano, in UTC. */
export function formatTime(nanos: bigint): string {
  const fraction = ((nanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const seconds = new Date(Number((nanos - fraction) / 1_000_000n)).toISOString().slice(0, -'.000Z'.length);
  const digits = fraction
    .toString()
    .padStart(9, '0')
    .replace(/(?<!0)0+$/, '');
  return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`;
}

/** Formats nanoseconds since the Unix epoch as whole seconds, as in the labels that Helm sets. */
export function unixSeconds(nanos: bigint): string {
  return (nanos / nanosPerSecond).toString();
}
