import type { TaskOutcome } from './messages.ts';
import type { TaskPosition } from './tasks.ts';

/** Returns the outcome of a task that threw: a defect if the error has no code. */
export function failedOutcome(error: unknown): Exclude<TaskOutcome, { type: 'done' }> {
  if (!(error instanceof Error)) return { type: 'defect', error: new Error(String(error)) };
  if (!('code' in error) || typeof error.code !== 'string') return { type: 'defect', error };
  const position = 'position' in error ? error.position : undefined;
  return {
    type: 'failed',
    code: error.code,
    message: error.message,
    // errors with a code of the layers that run in threads have positions of this shape only
    ...(position !== undefined && { position: position as TaskPosition }),
  };
}
