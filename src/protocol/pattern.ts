/**
 * Returns whether a text matches a pattern, in which `*` is any text and all other characters are
 * themselves. Takes time in proportion to the product of both lengths at most.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === text;
  if (!text.startsWith(pattern.slice(0, star))) return false; // most patterns of many
  if (!pattern.includes('*', star + 1)) {
    return text.length >= pattern.length - 1 && text.endsWith(pattern.slice(star + 1)); // most of the others
  }
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, position);
    if (found < 0 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}

/**
 * Whether one of the patterns matches a name. Without patterns, all names match. A name that is
 * absent can be any, so only the pattern `*` matches it.
 */
export function matchesAny(patterns: readonly string[] | undefined, name: string | undefined): boolean {
  if (patterns === undefined) return true;
  if (name === undefined) return patterns.includes('*');
  return patterns.some((pattern) => matchesPattern(pattern, name));
}
