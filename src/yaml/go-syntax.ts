const shortEscapes = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

/** A string as Go's `%#v` prints it. */
export function quoteGo(text: string): string {
  const escaped = text.replace(/["\\]|[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/gu, (character) => {
    const short = shortEscapes.get(character);
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}
