/** Returns the packet's number for "no limit", because Helm's 0 counts as absent there. */
export function historyLimitOf(historyMax: number | undefined): number | undefined {
  return historyMax === 0 ? -1 : historyMax;
}

/** Reads helm's `--dry-run`. Undefined if it is off. Throws Helm's error for another mode. */
export function dryRunOf(mode: string | undefined): 'client' | 'server' | undefined {
  if (mode === undefined || mode === 'none' || /^(0|f|F|FALSE|false|False)$/.test(mode)) return undefined;
  if (mode === 'server') return mode;
  if (mode === 'client' || /^(1|t|T|TRUE|true|True)$/.test(mode)) return 'client';
  throw new Error(`invalid dry-run value (${JSON.stringify(mode)}). Must be "none", "server", or "client"`);
}

/** Reads helm's `--wait`, and `--no-wait`, which helm does not have. Throws Helm's error. */
export function waitOf(strategy: string | boolean | undefined): boolean | 'legacy' | 'hookOnly' | undefined {
  switch (strategy) {
    case undefined:
    case false:
    case 'legacy':
    case 'hookOnly':
      return strategy;
    case 'false':
      return 'hookOnly';
    case true:
    case 'true':
    case 'watcher':
      return true;
    default:
      throw new Error(
        `invalid argument ${JSON.stringify(strategy)} for "--wait" flag: invalid wait input ${JSON.stringify(strategy)}. Valid inputs are watcher, hookOnly, and legacy`,
      );
  }
}
