const escapes: ReadonlyMap<string, string> = new Map([
  ['"', String.raw`\"`],
  ['\\', String.raw`\\`],
  ['\b', String.raw`\b`],
  ['\t', String.raw`\t`],
  ['\n', String.raw`\n`],
  ['\f', String.raw`\f`],
  ['\r', String.raw`\r`],
]);

/** Returns a TOML string in double quotes. */
export function quoteToml(text: string): string {
  const escaped = text.replaceAll(/["\\\0-\x1f\x7f]/g, (character) => {
    return escapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** Returns a part of a key, quoted if necessary. */
export function tomlKeyPart(part: string): string {
  return /^[A-Za-z0-9_-]+$/.test(part) ? part : quoteToml(part);
}

/** Returns a dotted key. */
export function tomlKey(parts: readonly string[]): string {
  return parts.map(tomlKeyPart).join('.');
}
