const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

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

/** How go-yaml orders a letter against a digit that stands after a digit: version 2 has the digit first, version 3 the letter. */
export type LetterOrder = 'digits-first' | 'letters-first';

const asciiWord = /^[a-zA-Z]+$/;

/** Orders keys as go-yaml's writers do: runs of digits by their number, symbols before letters. */
export function compareKeys(a: string, b: string, order: LetterOrder): number {
  if (asciiWord.test(a) && asciiWord.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = Array.from(a);
  const right = Array.from(b);
  let afterDigit = false;
  for (let i = 0; i < left.length && i < right.length; i++) {
    const l = left[i] ?? '';
    const r = right[i] ?? '';
    if (l !== r) return compareAt(left, right, i, afterDigit && order === 'letters-first');
    afterDigit = isDigit(l);
  }
  return left.length - right.length;
}

function compareAt(left: readonly string[], right: readonly string[], i: number, lettersFirst: boolean): number {
  const l = left[i] ?? '';
  const r = right[i] ?? '';
  const leftLetter = isLetter(l);
  const rightLetter = isLetter(r);
  if (leftLetter && rightLetter) return codePoint(l) - codePoint(r);
  if (leftLetter || rightLetter) return (lettersFirst ? leftLetter : rightLetter) ? -1 : 1;
  const start = (l === '0' || r === '0') && followsNonZero(left, i) ? 1n : 0n;
  const [leftNumber, leftEnd] = numberAt(left, i, start);
  const [rightNumber, rightEnd] = numberAt(right, i, start);
  if (leftNumber !== rightNumber) return leftNumber < rightNumber ? -1 : 1;
  return leftEnd === rightEnd ? codePoint(l) - codePoint(r) : leftEnd - rightEnd;
}

/** Whether the digits directly before `i` hold one that is not 0: then zeros at `i` count. */
function followsNonZero(characters: readonly string[], i: number): boolean {
  for (let j = i - 1; isDigit(characters[j]); j--) {
    if (characters[j] !== '0') return true;
  }
  return false;
}

function numberAt(characters: readonly string[], start: number, first: bigint): [number: bigint, end: number] {
  let number = first;
  let i = start;
  for (; isDigit(characters[i]); i++)
    number = BigInt.asIntN(64, number * 10n + BigInt(codePoint(characters[i] ?? '') - 48));
  return [number, i];
}
