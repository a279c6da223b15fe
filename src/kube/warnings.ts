/** One entry of a `Warning` header: code, agent, and text in quotes (RFC 7234). */
const entry = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the texts of `Warning` headers. */
export function warningsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return [header]
    .flat()
    .flatMap((text) => [...text.matchAll(entry)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1')));
}
