import { OperationError } from '../../operation/error.ts';
import { errorCodes } from '../../protocol/error-codes.ts';
import { type Failure, fieldSchema, maxFailedResources, maxFields, positionSchema } from '../../protocol/messages.ts';

const defect: Failure = { code: 'internal', message: "an internal error of the agent; see the agent's log" };

/**
 * Returns the failure to send for an error. An error whose `code` the protocol does not list is
 * sent as `internal`.
 */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return defect;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || !Object.hasOwn(errorCodes, code)) {
    return error.name === 'AbortError' ? { code: 'cancelled', message: 'the operation was cancelled' } : defect;
  }
  const position = positionSchema.safeParse('position' in error ? error.position : undefined);
  return {
    code,
    message: error.message,
    ...(position.success && { position: position.data }),
    ...fieldsOf(error),
    ...undoErrorsOf(error),
    ...resourcesOf(error),
  };
}

/** The message has the reasons; here are only the names, so that clients need not read it. */
function fieldsOf(error: Error): Pick<Failure, 'fields'> {
  if (!(error instanceof OperationError)) return {};
  const fields = error.problems
    .filter(({ field }) => field !== '')
    .flatMap((problem) => fieldSchema.safeParse(problem).data ?? []);
  return fields.length === 0 ? {} : { fields: fields.slice(0, maxFields) };
}

function resourcesOf(error: Error): Pick<Failure, 'resources'> {
  if (!(error instanceof OperationError) || error.resources.length === 0) return {};
  return { resources: error.resources.slice(0, maxFailedResources).map((resource) => ({ ...resource })) };
}

function undoErrorsOf(error: Error): Pick<Failure, 'undoErrors'> {
  if (!(error instanceof OperationError) || error.undoErrors.length === 0) return {};
  const listed = (code: string) => (Object.hasOwn(errorCodes, code) ? code : defect.code);
  return { undoErrors: error.undoErrors.map(({ code, message }) => ({ code: listed(code), message })) };
}
