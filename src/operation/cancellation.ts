/**
 * Treatment of the changes of a cancelled operation: they are undone like those of a failed one, or
 * left as they are, because someone wants to see them or because a newer command replaces them.
 */
export type CancelMode = 'undo' | 'leave' | 'superseded';

/** The reason of a signal that cancels an operation. */
export class Cancellation extends Error {
  override readonly name = 'Cancellation';
  readonly code = 'cancelled';
  readonly mode: CancelMode;

  constructor(message: string, mode: CancelMode) {
    super(message);
    this.mode = mode;
  }
}

/** Returns the mode of a signal. Default: `undo`. */
export function cancelModeOf({ reason }: AbortSignal): CancelMode {
  return reason instanceof Cancellation ? reason.mode : 'undo';
}
