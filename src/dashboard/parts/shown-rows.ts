/** Rows beyond those in sight, so that the next one can be reached by a key. */
const margin = 6;

/** Returns the first row of a long table to show, and the one after the last. */
export function shownRows(
  { top, height }: { top: number; height: number },
  count: number,
  rowHeight: number,
): { start: number; end: number } {
  const first = Math.floor(top / rowHeight);
  const last = Math.ceil((top + height) / rowHeight);
  const start = Math.min(Math.max(0, first - margin), Math.max(0, count - 1));
  return { start, end: Math.min(count, Math.max(last + margin, start + margin)) };
}
