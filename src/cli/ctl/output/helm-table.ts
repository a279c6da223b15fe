/**
 * Aligns cells like helm's tables (github.com/gosuri/uitable): columns are padded and separated by
 * tabs, and the last one is padded too. A cell with several lines is cut to the width of its
 * longest line. Counts each character as one column.
 * @param most width above which cells are cut
 */
export function helmTable(rows: readonly (readonly string[])[], most = Infinity): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) {
      const width = greatest(cell.split('\n').map(widthOf));
      widths[i] = Math.max(widths[i] ?? 0, Math.min(width, most));
    }
  }
  return `${rows.map((row) => rowText(row, widths)).join('\n')}\n`;
}

function rowText(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, i) => resize(cell, widths[i] ?? 0).split('\n'));
  const lines = Array.from({ length: greatest(cells.map(({ length }) => length)) }, (_, line) =>
    cells.map((cell, i) => resize(cell[line] ?? ' ', widths[i] ?? 0)).join('\t'),
  );
  return lines.join('\n');
}

function resize(text: string, width: number): string {
  const excess = widthOf(text) - width;
  if (width === 0 || excess === 0) return text;
  if (excess < 0) return text + ' '.repeat(-excess);
  // uitable writes one character before it looks at the width
  const kept = Math.max(1, width - 3);
  let shown = '';
  let columns = 0;
  for (const character of text) {
    shown += character;
    columns += widthOf(character);
    if (columns >= kept) break;
  }
  return `${shown}...`;
}

/** A cell can have more lines than a function can have arguments. */
function greatest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

/** A line break has no width. */
function widthOf(text: string): number {
  return Array.from(text.replaceAll('\n', '')).length;
}
