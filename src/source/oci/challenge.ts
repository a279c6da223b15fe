/**
 * Returns the parameters of the `Bearer` challenge in a `WWW-Authenticate` header; undefined if it
 * has none.
 */
export function bearerChallenge(headers: readonly string[]): ReadonlyMap<string, string> | undefined {
  const challenge = headers.find((value) => /^bearer /i.test(value));
  if (challenge === undefined) return undefined;
  // a name begins only where a word does, so that a long word takes linear time
  const parameters = challenge.matchAll(/(?<!\w)(\w+)="([^"]*)"/g);
  return new Map(Array.from(parameters, ([, key = '', value = '']) => [key.toLowerCase(), value]));
}

/**
 * Returns the reference of the next page in a `Link` header, such as
 * `</v2/a/tags/list?last=b>; rel="next"`; undefined if there is none.
 */
export function nextPage(header: string): string | undefined {
  for (const link of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, target = '', parameters = ''] = link;
    if (/;[ \t]*rel="?next"?(?![\w-])/i.test(parameters)) return target;
  }
  return undefined;
}
