import { codeOf, messageOf } from '../../errors/index.ts';
import { type FieldProblem, OperationError } from '../error.ts';
import type { ResourceStatus } from '../progress.ts';

/** An error as JSON data. */
export interface RecordedError {
  code: string;
  message: string;
  /** The resources that caused it. */
  resources: readonly ResourceStatus[];
  /** The fields that the API server refused. */
  problems: readonly FieldProblem[];
  /** Where it is in a chart's or a user's text. */
  position?: unknown;
}

export function recordedError(error: unknown): RecordedError {
  return {
    code: codeOf(error) ?? 'internal',
    message: messageOf(error),
    resources: error instanceof OperationError ? error.resources : [],
    problems: error instanceof OperationError ? error.problems : [],
    ...(error instanceof Error && 'position' in error && { position: error.position }),
  };
}

/** Returns an error from its recorded form, without its cause. */
export function restoredError({ code, message, resources, problems, position }: RecordedError): OperationError {
  const error = new OperationError(code, message, { cause: undefined, resources, problems });
  return position === undefined ? error : Object.assign(error, { position });
}
