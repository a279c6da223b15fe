import { quote } from '../go/strconv.ts';
import { byteLength } from '../go/text.ts';
import { GoError } from '../go/value.ts';

/** The text that templates were parsed from. All templates that a file defines share it. */
export interface Source {
  /** The name that the text was parsed under: for a chart the path of the file. */
  readonly name: string;
  readonly text: string;
}

/** A place in a template. */
export interface Position {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** In bytes, from 0. */
  readonly column: number;
}

/** The line, from 1, of a place in a text. */
export function lineOf(text: string, pos: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < pos; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Where that place of the text is, as Go counts. */
export function positionOf(source: Source, pos: number): Position {
  const lineStart = source.text.lastIndexOf('\n', pos - 1) + 1;
  const column = byteLength(source.text.slice(pos === 0 ? 0 : lineStart, pos));
  return { name: source.name, line: lineOf(source.text, pos), column };
}

/** A text that is no template. The message is Go's: `template: NAME:LINE: MESSAGE`. */
export class TemplateParseError extends GoError {
  override readonly name = 'TemplateParseError';
  readonly code = 'template_parse_failed';
  /** The name that the text was parsed under. */
  readonly templateName: string;
  readonly line: number;
  /** What is wrong, without the position. */
  readonly detail: string;

  constructor(templateName: string, line: number, detail: string) {
    super(`template: ${templateName}:${line}: ${detail}`);
    this.templateName = templateName;
    this.line = line;
    this.detail = detail;
  }
}

/**
 * A template that failed while it ran. The message is Go's:
 * `template: NAME:LINE:COLUMN: executing "TEMPLATE" at <CONTEXT>: MESSAGE`.
 */
export class TemplateExecError extends GoError {
  override readonly name: string = 'TemplateExecError';
  readonly code: 'template_exec_failed' | 'render_limit' = 'template_exec_failed';
  /** The template that ran, which may be a `define` of another file than `position.name`. */
  readonly templateName: string;
  readonly position: Position;
  /** The source of the node that failed. */
  readonly context: string;
  /** What is wrong, without position and context; `error calling NAME: …` for the error of a function. */
  readonly detail: string;
  /** The error of the function that was called. */
  override readonly cause: GoError | undefined;

  constructor(templateName: string, position: Position, context: string, detail: string, cause?: GoError) {
    const { name, line, column } = position;
    super(`template: ${name}:${line}:${column}: executing ${quote(templateName)} at <${context}>: ${detail}`);
    this.templateName = templateName;
    this.position = position;
    this.context = context;
    this.detail = detail;
    this.cause = cause;
  }
}

/** Templates that call each other for ever. The message is Go's. */
export class TemplateDepthError extends TemplateExecError {
  override readonly name = 'TemplateDepthError';
  override readonly code = 'render_limit';

  constructor(templateName: string, position: Position, context: string, depth: number) {
    super(templateName, position, context, `exceeded maximum template depth (${depth})`);
  }
}

/** A template that does more than the limits of the execution allow: it may never end. */
export class TemplateLimitError extends Error {
  override readonly name = 'TemplateLimitError';
  readonly code = 'render_limit';
  readonly templateName: string;
  readonly position: Position;
  /** What is exceeded: it follows the name of the template. */
  readonly limit: string;
  /** Whether the template is a text that another one has made: then the place of its call is of more use. */
  readonly isText: boolean;

  constructor(templateName: string, position: Position, limit: string, isText = false) {
    super(`${position.name}:${position.line}:${position.column}: template ${quote(templateName)} ${limit}`);
    this.templateName = templateName;
    this.position = position;
    this.limit = limit;
    this.isText = isText;
  }
}
