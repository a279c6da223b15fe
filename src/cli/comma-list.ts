/**
 * Splits the value of a flag at its commas, as Helm's `--values` and `--api-versions` do: the value
 * is a record of CSV, in which an item in quotes may contain commas. Returns no items for an empty
 * value. Throws an error if a quote is misplaced.
 */
export function commaList(text: string): string[] {
  const [line = ''] = text.split(/\r?\n/, 1);
  const record = line.includes('"') ? text : line;
  if (record === '') return [];
  const items: string[] = [];
  const item = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$|(?=\n))/y;
  for (;;) {
    const match = item.exec(record);
    if (match === null) throw new Error(`misplaced quote in ${JSON.stringify(text)}; write "a,b",c`);
    items.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') return items;
  }
}
