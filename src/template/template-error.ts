import { quote } from '../go/strconv.ts';
import { GoError } from '../go/value.ts';
import type { Position } from './template-file.ts';

/** A text that is not a valid template. The message is Go's: `template: NAME:LINE: MESSAGE`. */
export class TemplateParseError extends GoError {
  override readonly name = 'TemplateParseError';
  readonly code = 'template_parse_failed';
  /** Name under which the text was parsed. */
  readonly templateName: string;
  readonly line: number;
  /** The error without the position. */
  readonly detail: string;

  constructor(templateName: string, line: number, detail: string) {
    super(`template: ${templateName}:${line}: ${detail}`);
    this.templateName = templateName;
    this.line = line;
    this.detail = detail;
  }
}

/**
 * A template that failed at run time. The message is Go's:
 * `template: NAME:LINE:COLUMN: executing "TEMPLATE" at <CONTEXT>: MESSAGE`.
 */
export class TemplateExecError extends GoError {
  override readonly name: string = 'TemplateExecError';
  readonly code: 'template_exec_failed' | 'render_limit' = 'template_exec_failed';
  /** The template that ran, which may be defined in another file than `position.name`. */
  readonly templateName: string;
  readonly position: Position;
  /** Source of the node that failed. */
  readonly context: string;
  /**
   * The error without position and context; `error calling NAME: …` for the error of a function.
   */
  readonly detail: string;
  /** The error of the called function. */
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

/** Templates that call each other endlessly. The message is Go's. */
export class TemplateDepthError extends TemplateExecError {
  override readonly name = 'TemplateDepthError';
  override readonly code = 'render_limit';

  constructor(templateName: string, position: Position, context: string, depth: number) {
    super(templateName, position, context, `exceeded maximum template depth (${depth})`);
  }
}

/** A template that exceeds a limit of the execution, and may never end. */
export class TemplateLimitError extends Error {
  override readonly name = 'TemplateLimitError';
  readonly code = 'render_limit';
  readonly templateName: string;
  readonly position: Position;
  /** The exceeded limit; follows the name of the template in the message. */
  readonly limit: string;
  /**
   * Whether the template is a text passed to `executeText`; the position of that call is more
   * useful then.
   */
  readonly isText: boolean;

  constructor(templateName: string, position: Position, limit: string, isText = false) {
    super(`${position.name}:${position.line}:${position.column}: template ${quote(templateName)} ${limit}`);
    this.templateName = templateName;
    this.position = position;
    this.limit = limit;
    this.isText = isText;
  }
}
