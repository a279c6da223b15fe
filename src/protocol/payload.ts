import type { z } from 'zod';

/** A payload that is no JSON, or not what its type asks for. */
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
    // JSON.parse's message quotes the text, which may hold a password
    throw new PayloadError('payload: not JSON');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new PayloadError(`payload: ${describeIssues(parsed.error)}`);
  return parsed.data;
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ');
}
