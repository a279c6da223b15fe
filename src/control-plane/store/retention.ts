/** How long commands that have ended are kept. The command that ended first is forgotten first. */
export interface Retention {
  /** Number of commands. Each takes about 2 KiB of memory, also if its events are in a file. */
  readonly commands: number;
  /** Bytes of all their packets. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** A retention of which parts are the default of the store. */
export type RetentionOptions = { readonly [Part in keyof Retention]?: Retention[Part] | undefined };

/** The default of stores that are not in memory: 10,000 commands, 512 MiB and 7 days. */
const storedRetention: Retention = { commands: 10_000, bytes: 512 * 1024 * 1024, milliseconds: 7 * 24 * 3_600_000 };

/** Returns a retention with the parts of a default that are not given. */
export function retentionOf(given: RetentionOptions = {}, defaults = storedRetention): Retention {
  const { commands = defaults.commands, bytes = defaults.bytes, milliseconds = defaults.milliseconds } = given;
  return { commands, bytes, milliseconds };
}
