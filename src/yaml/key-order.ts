const letter = /\p{L}/u;
const digit = /\p{Nd}/u;
const ascii = /^[\0-\x7f]*$/;

/**
 * Order of a letter and a symbol that follow a digit: go-yaml v2 sorts the symbol first, v3 the
 * letter.
 */
export type LetterOrder = 'digits-first' | 'letters-first';

/**
 * Compares keys as go-yaml's writers do: runs of digits by their number, symbols before letters.
 */
export function compareKeys(a: string, b: string, order: LetterOrder): number {
  // in ASCII each UTF-16 unit is a character, so splitting is not needed
  const [left, right] = ascii.test(a) && ascii.test(b) ? [a, b] : [Array.from(a), Array.from(b)];
  const length = Math.min(left.length, right.length);
  let i = 0;
  while (i < length && left[i] === right[i]) i++;
  if (i === length) return left.length - right.length;
  return compareFrom(left, right, i, order === 'letters-first' && i > 0 && isDigit(left[i - 1]));
}

/** The characters of a key. */
type Characters = string | readonly string[];

function compareFrom(left: Characters, right: Characters, i: number, lettersFirst: boolean): number {
  const l = left[i] ?? '';
  const r = right[i] ?? '';
  const leftLetter = isLetter(l);
  const rightLetter = isLetter(r);
  if (leftLetter && rightLetter) return codePoint(l) - codePoint(r);
  if (leftLetter || rightLetter) return (lettersFirst ? leftLetter : rightLetter) ? -1 : 1;
  const first = (l === '0' || r === '0') && followsNonZero(left, i) ? '1' : '';
  const leftEnd = endOfDigits(left, i);
  const rightEnd = endOfDigits(right, i);
  const difference = compareNumbers(first, left, right, i, leftEnd, rightEnd);
  if (difference !== 0) return difference;
  return leftEnd === rightEnd ? codePoint(l) - codePoint(r) : leftEnd - rightEnd;
}

function isLetter(character: string): boolean {
  return character < '\x80'
    ? (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
    : letter.test(character);
}

function isDigit(character: string | undefined): boolean {
  if (character === undefined) return false;
  return character < '\x80' ? character >= '0' && character <= '9' : digit.test(character);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Whether the digits directly before `i` include one other than 0; if so, zeros at `i` count. */
function followsNonZero(characters: Characters, i: number): boolean {
  for (let j = i - 1; isDigit(characters[j]); j--) {
    if (characters[j] !== '0') return true;
  }
  return false;
}

function endOfDigits(characters: Characters, start: number): number {
  let i = start;
  while (isDigit(characters[i])) i++;
  return i;
}

function compareNumbers(
  first: string,
  left: Characters,
  right: Characters,
  start: number,
  leftEnd: number,
  rightEnd: number,
): number {
  const a = numberOf(first, left, start, leftEnd);
  const b = numberOf(first, right, start, rightEnd);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the number that the digits form after a leading digit, as an int64. */
function numberOf(first: string, characters: Characters, start: number, end: number): number | bigint {
  if (end - start < 15) {
    let number = Number(first);
    for (let i = start; i < end; i++) number = number * 10 + codePoint(characters[i] ?? '') - 48;
    return number;
  }
  let number = BigInt(first);
  for (let i = start; i < end; i++)
    number = BigInt.asIntN(64, number * 10n + BigInt(codePoint(characters[i] ?? '') - 48));
  return number;
}
