import { errorCodes } from '../../protocol/error-codes.ts';
import { positionSchema, type Failure } from '../../protocol/messages.ts';

/** What the wire says of an error. One whose `code` the protocol does not list is a defect, and says nothing of itself. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return defect;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || !Object.hasOwn(errorCodes, code)) {
    return error.name === 'AbortError' ? { code: 'cancelled', message: 'the operation was cancelled' } : defect;
  }
  const position = positionSchema.safeParse('position' in error ? error.position : undefined);
  return { code, message: error.message, ...(position.success && { position: position.data }) };
}

const defect: Failure = { code: 'internal', message: "an internal error of the agent; the agent's log says more" };
