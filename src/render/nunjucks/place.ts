import { byteLength } from '../../go/text.ts';
import { RenderError, type RenderErrorCode, type RenderPosition } from '../render-error.ts';

/** A text that is read as a template. */
export interface Source {
  /** The path of the file, chart name first. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** A place in a template. Line and column count from 0, columns in UTF-16 units, as Nunjucks counts. */
export interface Place {
  readonly source: Source;
  readonly line: number;
  readonly column: number;
}

export function sourceOf(path: string, text: string): Source {
  return { path, lines: text.split('\n') };
}

/** The place as errors name it: as in Go's texts, with columns from 0. */
function positionOf({ source, line, column }: Place): Required<RenderPosition> {
  const before = (source.lines[line] ?? '').slice(0, column);
  return { file: source.path, line: line + 1, column: byteLength(before) };
}

/** Ends the render with what is wrong at a place; the text has the layout of Helm's. */
export function failAt(place: Place, problem: string, cause?: unknown, code: RenderErrorCode = 'render_failed'): never {
  const position = positionOf(place);
  const { file, line, column } = position;
  throw new RenderError(code, `execution error at (${file}:${line}:${column}): ${problem}`, { position, cause });
}

/** Refuses a template that is none. */
export function failParse(place: Place, problem: string, cause?: unknown): never {
  const position = positionOf(place);
  const { file, line, column } = position;
  throw new RenderError('render_failed', `parse error at (${file}:${line}:${column}): ${problem}`, { position, cause });
}
