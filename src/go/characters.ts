import { runes, runeText } from './text.ts';

// Characters with a single upper case letter whose full Unicode mapping is longer.
const greekWithIota = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/;
const upperExceptions: ReadonlyMap<string, string> = new Map([
  ['\u1fb3', '\u1fbc'],
  ['\u1fc3', '\u1fcc'],
  ['\u1ff3', '\u1ffc'],
]);
const titleExceptions: ReadonlyMap<string, string> = new Map([
  ...['\u01c4', '\u01c5', '\u01c6'].map((letter) => [letter, '\u01c5'] as const),
  ...['\u01c7', '\u01c8', '\u01c9'].map((letter) => [letter, '\u01c8'] as const),
  ...['\u01ca', '\u01cb', '\u01cc'].map((letter) => [letter, '\u01cb'] as const),
  ...['\u01f1', '\u01f2', '\u01f3'].map((letter) => [letter, '\u01f2'] as const),
]);
const georgian = /^[\u10d0-\u10fa\u10fd-\u10ff]$/;

/** `unicode.ToUpper`: maps one character to exactly one character. */
export function toUpper(character: string): string {
  const upper = character.toUpperCase();
  if (isOneCharacter(upper)) return upper;
  if (greekWithIota.test(character)) return String.fromCharCode(character.charCodeAt(0) + 8);
  return upperExceptions.get(character) ?? character;
}

/** `unicode.ToLower`: maps one character to exactly one character. */
export function toLower(character: string): string {
  const lower = character.toLowerCase();
  return isOneCharacter(lower) ? lower : character === '\u0130' ? 'i' : character;
}

/** `unicode.ToTitle`: maps one character to exactly one character. */
export function toTitle(character: string): string {
  if (georgian.test(character)) return character;
  return titleExceptions.get(character) ?? toUpper(character);
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

/**
 * Returns the characters of a string as Go's `range` sees them: U+FFFD for each byte that is not
 * valid UTF-8.
 */
export function charactersOf(text: string): string[] {
  return text.isWellFormed() ? Array.from(text) : runes(text).map(runeText);
}
