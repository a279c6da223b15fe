import { Option } from 'commander';
import { mapEntries } from './map-entries.ts';

/** Returns an option with entries such as `a=1,b=2`, which may be given more than once. */
export function stringMap(flag: string, description: string): Option {
  return new Option(flag, description).argParser((text: string, before: Record<string, string> | undefined) => ({
    ...before,
    ...Object.fromEntries(mapEntries(text)),
  }));
}
