const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** What stands between quotes of either kind, Go's escapes resolved; undefined where one of them is none. */
export function unquoted(text: string): string | undefined {
  const quote = text.charAt(0);
  const inside = text.slice(1, -1);
  const isValid = new RegExp(
    `^(?:[^\\\\${quote}]|\\\\(?:[abfnrtv\\\\${quote}]|x[\\da-fA-F]{2}|[0-3][0-7]{2}|u[\\da-fA-F]{4}|U00[\\da-fA-F]{6}))*$`,
    'u',
  );
  if (!isValid.test(inside)) return undefined;
  return inside.replace(/\\(?:x(..)|u(....)|U(.{8})|([0-7]{3})|(.))/gu, (...match: string[]) => {
    const [, x, u, long, octal, letter = ''] = match;
    const hex = x ?? u ?? long;
    if (hex !== undefined) return character(hex, 16);
    return octal === undefined ? (escapes[letter] ?? letter) : character(octal, 8);
  });
}

function character(digits: string, base: number): string {
  const point = Number.parseInt(digits, base);
  return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
}
