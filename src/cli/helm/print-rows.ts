import { encodeJson } from '../../go/json-encode.ts';
import { writeYaml } from '../../yaml/write.ts';
import { helmTable } from '../ctl/output/helm-table.ts';

/** A row of a table: texts by their JSON names, in the order of the columns. */
type Row = Readonly<Record<string, string>>;

interface TableOptions {
  /** Default: none. */
  headings?: readonly string[] | undefined;
  /** Width above which cells are cut. Default: none. */
  maxWidth?: number;
}

/** Returns rows in one of the formats of Helm's --output (pkg/cli/output). */
export function printRows(format: string, rows: readonly Row[], { headings, maxWidth }: TableOptions): string {
  switch (format) {
    case 'json':
      return `[${rows.map(jsonRow).join()}]\n`;
    case 'yaml':
      return writeYaml(rows.map((row) => new Map(Object.entries(row))));
    default:
      return helmTable([...(headings ? [headings] : []), ...rows.map((row) => Object.values(row))], maxWidth);
  }
}

function jsonRow(row: Row): string {
  const fields = Object.entries(row).map(([name, text]) => `"${name}":${encodeJson(text, { escapeHtml: true })}`);
  return `{${fields.join()}}`;
}
