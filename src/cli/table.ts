import stringWidth from 'string-width';

/** Number of code units that a column can have at most: an emoji of several people. */
const unitsPerColumn = 16;

/** Truncates text to a width in columns of a terminal. */
export function cut(text: string, width: number): string {
  const start = text.slice(0, Math.max(0, width) * unitsPerColumn);
  if (start.length === text.length && stringWidth(start) <= width) return text;
  let kept = '';
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(start)) {
    columns += stringWidth(segment);
    if (columns >= width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Width in columns to which the other cells of a column are padded at most. */
const maxPadding = 100;

/** Aligns rows in columns, two spaces apart. Line breaks in cells become spaces. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const lines = rows.map((row) => row.map((cell) => cell.replace(/\r\n|[\n\r\u2028\u2029]/g, ' ')));
  const widths = lines.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, paddedWidth(cell))),
    [],
  );
  return lines.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - paddedWidth(cell))))
      .join('  ')
      .trimEnd(),
  );
}

function paddedWidth(cell: string): number {
  return cell.length > maxPadding * unitsPerColumn ? maxPadding : Math.min(maxPadding, stringWidth(cell));
}
