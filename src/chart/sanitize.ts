import { isPrint } from '../go/printable.ts';

const plain = /^[\x20-\x7e]*$/;
const space = /[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** A text of Chart.yaml with every white space as a space, and without what cannot be printed (pkg/chart/v2/metadata.go: sanitizeString). */
export function sanitize(text: string): string {
  if (plain.test(text)) return text;
  let clean = '';
  for (const character of text) {
    if (space.test(character)) clean += ' ';
    else if (isPrint(character.codePointAt(0) ?? 0)) clean += character;
  }
  return clean;
}
