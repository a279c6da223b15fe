import * as z from 'zod';

/** A text without control characters, marks of direction and line breaks. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;

/**
 * A text of at most this many UTF-16 units that can be shown in one line of a terminal or a log.
 */
export function printableSchema(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .regex(printable, 'must not have control characters, marks of direction or line breaks');
}
