import { messageOf } from '../errors/index.ts';
import { type UndoError, withMessage } from './error.ts';
import type { Failure, OperationState, PhaseName } from './state/operation-state.ts';
import { restoredError } from './state/recorded-error.ts';
import type { Work } from './work.ts';

/** Returns the message of an error after a phase of undoing, which may have failed. */
export type UndoText = (message: string, failure: Failure | undefined) => string;

/**
 * Throws the error of an operation, if it has failed, with Helm's messages about how it was undone
 * and about errors on the way.
 */
export function throwFailure(
  { failure, undo }: OperationState,
  { cache }: Work<unknown>,
  texts: Partial<Record<PhaseName, UndoText>>,
): void {
  if (failure === undefined) return;
  const error: unknown = cache.error ?? restoredError(failure.error);
  const first = messageOf(error);
  const ended = undo?.ended ?? [];
  const message = ended.reduce((text, { phase, failure: second }) => texts[phase]?.(text, second) ?? text, first);
  const undoErrors = ended.flatMap(({ failure: second }) => (second ? [undoError(second)] : []));
  throw message === first ? error : withMessage(error, message, undoErrors);
}

function undoError({ error: { code, message } }: Failure): UndoError {
  return { code, message };
}

/** Text after the phases `settle`, `fail` and `fail-rollback`. */
export const notStoredText: UndoText = (message, failure) =>
  failure === undefined ? message : `${message}; the failure could not be stored: ${failure.error.message}`;

/** Returns the text after the phase `clean-up`. */
export function cleanUpText(action: string): UndoText {
  const prefix = `an error occurred while cleaning up resources. original ${action} error`;
  return (message, failure) => (failure === undefined ? message : `${prefix}: ${message}: ${failure.error.message}`);
}
