import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { shownRows } from './shown-rows.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `wide` is left out on small screens. Default: it is always shown. */
  readonly show?: 'always' | 'wide';
  /** Numbers are aligned at their end. Default: text. */
  readonly kind?: 'text' | 'number';
  /** Width for CSS. Default: an equal part of what is left. */
  readonly width?: string;
  /**
   * On small screens: a width for CSS, or `shape` for states of which only the shape is shown.
   * Default: an equal part.
   */
  readonly narrow?: string;
}

export interface TableProps<Row> {
  /** The name of the table, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The view that the first cell of a row links to. */
  readonly hrefOf?: (row: Row) => string;
}

/** The height of a row of CSS, in pixels. */
const rowHeight = 44;

/** The most rows that are in the document as a whole. */
const maxWholeRows = 50;

/** A table of which only the rows in sight are in the document, if it is long. */
export function Table<Row>({ label, rows, columns, keyOf, hrefOf }: TableProps<Row>) {
  const isLong = rows.length > maxWholeRows;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = scroller.current;
    if (!isLong || !element) return undefined;
    const read = () => setView({ top: element.scrollTop, height: element.clientHeight });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, [isLong]);
  const range = isLong ? shownRows(view, rows.length, rowHeight) : { start: 0, end: rows.length };
  const { start, end } = range;
  return (
    <div
      ref={scroller}
      class={isLong ? 'table long' : 'table'}
      role="region"
      aria-label={label}
      tabIndex={isLong ? 0 : -1}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ title, ...column }) => (
              <th key={title} scope="col" class={classOf(column)} style={widthsOf(column)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={start * rowHeight} />
          {rows.slice(start, end).map((row, index) => (
            <tr key={keyOf(row)} aria-rowindex={start + index + 2}>
              {columns.map(({ title, cell, ...column }, place) => (
                <td key={title} class={classOf(column)}>
                  {place === 0 && hrefOf ? (
                    <a href={hrefOf(row)} data-row>
                      {cell(row)}
                    </a>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
          <Space height={(rows.length - end) * rowHeight} />
        </tbody>
      </table>
    </div>
  );
}

/** The place of rows that are not in the document. */
function Space({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

function classOf({ show, kind, narrow }: Pick<Column<never>, 'show' | 'kind' | 'narrow'>): string {
  const names = [show === 'wide' && 'wide', kind === 'number' && 'number', narrow === 'shape' && 'shape'];
  return names.filter(Boolean).join(' ');
}

function widthsOf({ width, narrow }: Pick<Column<never>, 'width' | 'narrow'>): Record<string, string> {
  return {
    ...(width !== undefined && { '--width': width }),
    ...(narrow !== undefined && narrow !== 'shape' && { '--narrow-width': narrow }),
  };
}
