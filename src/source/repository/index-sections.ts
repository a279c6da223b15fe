/** Range of each chart's entries in the text of an index. */
export type IndexSections = ReadonlyMap<string, { readonly start: number; readonly end: number }>;

/**
 * Finds the charts in an index by indentation, without parsing the YAML: to parse tens of megabytes
 * takes seconds and hundreds of megabytes of memory, and only a few entries are needed. Returns
 * undefined if the text does not have the layout of `helm repo index`; it has to be parsed as a
 * whole then.
 */
export function findSections(text: string): IndexSections | undefined {
  const heading = /^entries:[ \t]*$/m.exec(text);
  if (heading === null) return undefined;
  const from = heading.index + heading[0].length;
  const indent = /^( +)[^\s#]/m.exec(text.slice(from, from + 10_000))?.[1]?.length;
  if (indent === undefined) return undefined;

  const sections = new Map<string, { start: number; end: number }>();
  let last: { start: number; end: number } | undefined;
  const lines = new RegExp(`^( {0,${indent}})([^\\s#].*)$`, 'gm');
  lines.lastIndex = from;
  for (const match of text.matchAll(lines)) {
    const [, spaces = '', line = ''] = match;
    if (spaces === '' && /^(?:[A-Za-z]+:|---|\.\.\.)/.test(line)) {
      if (last) last.end = match.index;
      return sections;
    }
    if (spaces.length !== indent) return undefined;
    if (/^-(?: |$)/.test(line)) continue;
    const key = /^(?:([\w./-]+)|"([^"\\]+)"|'([^']+)'):(?: \[\])?[ \t]*$/.exec(line);
    const name = key?.[1] ?? key?.[2] ?? key?.[3];
    if (name === undefined || sections.has(name)) return undefined;
    if (last) last.end = match.index;
    last = { start: match.index, end: text.length };
    sections.set(name, last);
  }
  return sections;
}
