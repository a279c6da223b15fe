import { isPrint } from '../../go/printable.ts';
import { isSpace } from '../../go/space.ts';

const plain = /^[\x20-\x7e]*$/;

/**
 * Replaces all white space in a text of Chart.yaml by spaces and removes unprintable characters
 * (pkg/chart/v2/metadata.go: sanitizeString).
 */
export function sanitize(text: string): string {
  if (plain.test(text)) return text;
  let clean = '';
  for (const character of text) {
    if (isSpace(character)) clean += ' ';
    else if (isPrint(character.codePointAt(0) ?? 0)) clean += character;
  }
  return clean;
}
