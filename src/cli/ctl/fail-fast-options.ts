import type { Command } from 'commander';
import { failFastSchema } from '../../protocol/commands/wait-fields.ts';

/** The flags that say which problems end a wait. */
export interface FailFastFlags {
  failFast?: string;
  failGrace?: string;
}

/** Adds the flags. */
export function addFailFastOptions(command: Command): void {
  command
    .option(
      '--fail-fast <level>',
      'problems that end the wait early: never, fatal, likely, or classes of some such as crash_loop=transient (default: likely)',
    )
    .option('--fail-grace <duration>', 'time after which a likely problem ends the wait (default: 60s)');
}

/** Returns the parameters that the flags set. */
export function failFastParameters({ failFast, failGrace }: FailFastFlags) {
  return { failFast: failFast === undefined ? undefined : failFastOf(failFast), failGrace };
}

/** Reads a level, or `crash_loop=transient,unschedulable=fatal`. */
function failFastOf(text: string) {
  const pairs = text.split(',').map((part) => part.split('=', 2).map((word) => word.trim()));
  const value: unknown = text.includes('=') ? Object.fromEntries(pairs) : text;
  const parsed = failFastSchema.safeParse(value);
  if (!parsed.success) throw new Error(`--fail-fast: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
  return parsed.data;
}
