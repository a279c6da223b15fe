/** Returns the reason of an aborted signal as an error. */
export function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('the task was cancelled');
}
