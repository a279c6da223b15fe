import type { z } from 'zod';
import { validate } from './validation.ts';

/** A payload that is not JSON text, or does not fit its type. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly code = 'bad_payload';
}

/** Reads a payload's JSON text. Throws `PayloadError` with the fields that are wrong. */
export function decodePayload<Output>(schema: z.ZodType<Output>, payload: string | undefined): Output {
  let value: unknown;
  try {
    value = JSON.parse(payload ?? '{}');
  } catch {
    // JSON.parse quotes the text, which may hold a password
    throw new PayloadError('payload: must be JSON text');
  }
  const validated = validate(schema, value, 'the value');
  if ('problems' in validated) throw new PayloadError(`payload: ${validated.problems.join('; ')}`);
  return validated.data;
}
