import type * as z from 'zod';
import { JsonTextError, parseJson } from './json.ts';
import { validate } from './validation.ts';

/** A payload that is not JSON text, or does not fit its type. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly code = 'bad_payload';
}

/** Reads a payload's JSON text. Throws `PayloadError` with the fields that are wrong. */
export function decodePayload<Output>(schema: z.ZodType<Output>, payload: string | undefined): Output {
  const validated = validate(schema, parsePayload(payload ?? '{}'), 'the value');
  if ('problems' in validated) throw new PayloadError(`payload: ${validated.problems.join('; ')}`);
  return validated.data;
}

function parsePayload(payload: string): unknown {
  try {
    return parseJson(payload);
  } catch (error) {
    throw error instanceof JsonTextError ? new PayloadError(`payload: ${error.message}`) : error;
  }
}
