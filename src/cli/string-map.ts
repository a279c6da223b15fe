import { Option } from 'commander';
import { messageOf } from '../errors/index.ts';
import { quote } from '../go/strconv.ts';
import { mapEntries } from './map-entries.ts';

/** Returns an option with entries such as `a=1,b=2`, which may be given more than once. */
export function stringMap(flag: string, description: string): Option {
  const name = flag.replace(/ <.*/, '');
  return new Option(flag, description).argParser((text: string, before: Record<string, string> | undefined) => {
    try {
      return { ...before, ...Object.fromEntries(mapEntries(text)) };
    } catch (error) {
      // as pflag does
      throw new Error(`invalid argument ${quote(text)} for ${quote(name)} flag: ${messageOf(error)}`, { cause: error });
    }
  });
}
