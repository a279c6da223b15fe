/**
 * The items of a flag that takes several with commas between: a record of CSV, in which an item in quotes may hold commas, as Helm's flags
 * `--values` and `--api-versions` are read. Empty text has none. Throws where quotes are out of place.
 */
export function commaList(text: string): string[] {
  const [line = ''] = text.split(/\r?\n/, 1);
  const record = line.includes('"') ? text : line;
  if (record === '') return [];
  const items: string[] = [];
  const item = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$|(?=\n))/y;
  for (;;) {
    const match = item.exec(record);
    if (match === null) throw new Error(`in ${JSON.stringify(text)} a quote is out of place; write "a,b",c`);
    items.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') return items;
  }
}
