/** Characters for which Go's `unicode.IsSpace` is true, as the inside of a character class. */
const spaces = String.raw`\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const onlySpace = new RegExp(`^[${spaces}]*$`);
const leadingSpace = new RegExp(`^[${spaces}]+`);

/** Whether a text is empty or contains only space. */
export function isBlank(text: string): boolean {
  return onlySpace.test(text);
}

/** `unicode.IsSpace`. */
export function isSpace(character: string): boolean {
  return character !== '' && onlySpace.test(character);
}

/** Removes leading space. */
export function trimLeftSpace(text: string): string {
  return text.replace(leadingSpace, '');
}

/** `strings.TrimSpace`: removes leading and trailing space. */
export function trimSpace(text: string): string {
  const trimmed = trimLeftSpace(text);
  // an expression for the end would start again at each space of the text
  let end = trimmed.length;
  while (end > 0 && isSpace(trimmed.charAt(end - 1))) end--;
  return trimmed.slice(0, end);
}
