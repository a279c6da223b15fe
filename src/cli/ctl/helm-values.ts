/** Returns the packet's number for "no limit", because Helm's 0 counts as absent there. */
export function historyLimitOf(historyMax: number | undefined): number | undefined {
  return historyMax === 0 ? -1 : historyMax;
}

/** Reads helm's `--dry-run`. Throws Helm's error for another mode. */
export function isDryRun(mode: boolean | string | undefined): boolean {
  if (mode === undefined || mode === 'none' || mode === 'false') return false;
  if (mode === true || mode === 'true' || mode === 'client' || mode === 'server') return true;
  throw new Error(`invalid dry-run value (${JSON.stringify(mode)}). Must be "none", "server", or "client"`);
}
