import { commaList } from './comma-list.ts';

/**
 * Reads entries such as `a=1,b=2` as pflag's `stringToString` does. Throws an error with Go's text.
 */
export function mapEntries(text: string): [name: string, value: string][] {
  const isSingle = text.split('=').length === 2;
  const entries = isSingle ? [text.replace(/^"|"$/g, '')] : commaList(text);
  return entries.map(entryOf);
}

function entryOf(entry: string): [name: string, value: string] {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(entry) ?? [];
  if (name === undefined || value === undefined) throw new Error(`${entry} must be formatted as key=value`);
  return [name, value];
}
