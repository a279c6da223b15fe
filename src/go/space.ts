/** What Go's `unicode.IsSpace` takes for space, as the inside of a character class. */
const spaces = String.raw`\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const onlySpace = new RegExp(`^[${spaces}]*$`);
const leadingSpace = new RegExp(`^[${spaces}]+`);
const outerSpace = new RegExp(`^[${spaces}]+|[${spaces}]+$`, 'g');

/** Whether there is nothing but space in a text; true for an empty one. */
export function isBlank(text: string): boolean {
  return onlySpace.test(text);
}

/** Whether a character is space: Go's `unicode.IsSpace`. */
export function isSpace(character: string): boolean {
  return character !== '' && onlySpace.test(character);
}

/** The text without the space before it. */
export function trimLeftSpace(text: string): string {
  return text.replace(leadingSpace, '');
}

/** The text without the space before and after it: Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  return text.replace(outerSpace, '');
}
