import { Option } from 'commander';
import { commaList } from './comma-list.ts';

/** Returns an option with entries such as `a=1,b=2`, which may be given more than once. */
export function stringMap(flag: string, description: string): Option {
  return new Option(flag, description).argParser(addEntries);
}

/** Reads entries as pflag's `stringToString` does. */
function addEntries(text: string, before: Record<string, string> | undefined): Record<string, string> {
  const isSingle = text.split('=').length === 2;
  const entries = isSingle ? [text.replace(/^"|"$/g, '')] : commaList(text);
  return { ...before, ...Object.fromEntries(entries.map(entryOf)) };
}

function entryOf(entry: string): [name: string, value: string] {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(entry) ?? [];
  if (name === undefined || value === undefined) throw new Error(`${entry} must be formatted as key=value`);
  return [name, value];
}
