import type { Flag } from '../pflag/flag.ts';
import { isShown } from '../pflag/flag-usages.ts';
import type { CommandEntry } from './command.ts';

/** The number of edits between a word and a command up to which it is suggested. */
const maxDistance = 2;

type Entry = Omit<CommandEntry<never>, 'load'>;

/** Returns the lines that suggest commands for a word, as cobra does. Empty if there are none. */
export function commandSuggestions(word: string, entries: readonly Entry[]): string {
  const names = entries.flatMap((entry) => (entry.isHidden === true ? [] : suggestionsOf(word.toLowerCase(), entry)));
  return suggestionText(names);
}

/** Returns the lines that suggest flags for the name of one that does not exist. */
export function flagSuggestions(flag: string, flags: readonly Flag[]): string {
  const shown = flags.filter((each) => isShown(each) && isNear(flag.toLowerCase(), each.name));
  return suggestionText(shown.map(({ name }) => `--${name}`));
}

function suggestionsOf(word: string, { name, suggestFor = [] }: Entry): string[] {
  return [...(isNear(word, name) ? [name] : []), ...suggestFor.filter((other) => other === word).map(() => name)];
}

function suggestionText(names: readonly string[]): string {
  return names.length === 0 ? '' : `\n\nDid you mean this?\n${names.map((name) => `\t${name}\n`).join('')}`;
}

function isNear(word: string, name: string): boolean {
  return distance(word, name) <= maxDistance || name.startsWith(word);
}

/** The number of letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1] ?? 0;
      const edited = Math.min(row[j] ?? 0, next[j - 1] ?? 0, replaced) + 1;
      next.push(a[i - 1] === b[j - 1] ? replaced : edited);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
