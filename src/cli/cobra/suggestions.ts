import type { CommandEntry } from './command.ts';

/** The number of edits between a word and a command up to which it is suggested. */
const maxDistance = 2;

/** Returns the lines that suggest commands for a word, or an empty text. */
export function suggestionText(word: string, entries: readonly Omit<CommandEntry<never>, 'load'>[]): string {
  const names = entries.flatMap((entry) => (entry.isHidden === true ? [] : suggestionsOf(word.toLowerCase(), entry)));
  return names.length === 0 ? '' : `\n\nDid you mean this?\n${names.map((name) => `\t${name}\n`).join('')}`;
}

function suggestionsOf(word: string, { name, suggestFor = [] }: Omit<CommandEntry<never>, 'load'>): string[] {
  const isNear = distance(word, name) <= maxDistance || name.startsWith(word);
  return [...(isNear ? [name] : []), ...suggestFor.filter((other) => other === word).map(() => name)];
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
