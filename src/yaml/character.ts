// Character classes of YAML 1.1, by UTF-16 unit. 0 marks the end of the text, which never contains
// that character itself.

/** Character codes with a meaning in YAML. */
export const code = {
  tab: 9,
  lineFeed: 10,
  carriageReturn: 13,
  space: 32,
  exclamationMark: 33,
  doubleQuote: 34,
  hash: 35,
  percent: 37,
  singleQuote: 39,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  zero: 48,
  colon: 58,
  less: 60,
  greater: 62,
  questionMark: 63,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;

export function isBreak(unit: number): boolean {
  if (unit < 0x80) return unit === 10 || unit === 13;
  return unit === 0x85 || unit === 0x2028 || unit === 0x2029;
}

export function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9;
}

export function isBreakOrEnd(unit: number): boolean {
  if (unit > 13 && unit < 0x80) return false;
  return unit === 0 || isBreak(unit);
}

export function isBlankOrEnd(unit: number): boolean {
  if (unit > 32 && unit < 0x80) return false;
  return unit === 32 || unit === 9 || isBreakOrEnd(unit);
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** Whether the character may be part of the name of an anchor, a directive or a tag handle. */
export function isWord(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || isDigit(unit) || unit === 95 || unit === 45;
}
