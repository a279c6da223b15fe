import { byteLength } from '../../go/text.ts';
import { RenderError, type RenderErrorCode, type RenderPosition } from '../render-error.ts';

/** Text of a template. */
export interface TemplateText {
  /** Path of the file, with the chart's name first. */
  readonly path: string;
  readonly lines: readonly string[];
}

/**
 * Position in a template. Line and column count from 0, columns in UTF-16 units, as in Nunjucks.
 */
export interface Position {
  readonly template: TemplateText;
  readonly line: number;
  readonly column: number;
}

export function templateText(path: string, text: string): TemplateText {
  return { path, lines: text.split('\n') };
}

/** Returns the position as errors report it: as in Go's error texts. */
function renderPositionOf({ template, line, column }: Position): Required<RenderPosition> {
  const before = (template.lines[line] ?? '').slice(0, column);
  return { file: template.path, line: line + 1, column: byteLength(before) };
}

/** Throws an error for a position, in the format of Helm's execution errors. */
export function failAt(at: Position, problem: string, cause?: unknown, code: RenderErrorCode = 'render_failed'): never {
  const position = renderPositionOf(at);
  const { file, line, column } = position;
  throw new RenderError(code, `execution error at (${file}:${line}:${column}): ${problem}`, { position, cause });
}

/** Throws an error for a template that cannot be parsed, in the format of Helm's parse errors. */
export function failParse(at: Position, problem: string, cause?: unknown): never {
  const position = renderPositionOf(at);
  const { file, line, column } = position;
  throw new RenderError('render_failed', `parse error at (${file}:${line}:${column}): ${problem}`, { position, cause });
}
