import { OperationError } from './error.ts';

/** The code of an error, of whatever layer. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error, of whatever layer, carries this code. */
export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error with another message; what else it tells is kept. `internal` where it is a defect of ours, without a code. */
export function withMessage(error: unknown, message: string): OperationError {
  return new OperationError(codeOf(error) ?? 'internal', message, {
    cause: error,
    ...(error instanceof OperationError && { resources: error.resources }),
  });
}

/** The error with a prefix before its message. */
export function withPrefix(prefix: string, error: unknown): OperationError {
  return withMessage(error, `${prefix}: ${messageOf(error)}`);
}

/** Throws the errors as one, with the first one's code. */
export function throwJoined(errors: readonly unknown[], separator: string): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw withMessage(errors[0], errors.map(messageOf).join(separator));
}
