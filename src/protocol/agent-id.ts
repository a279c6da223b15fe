import * as z from 'zod';

/** The id of an agent: like a DNS name, but with upper case letters and underscores too. */
export const agentIdSchema = z
  .string()
  .max(253)
  .regex(
    /^[A-Za-z0-9]([-._A-Za-z0-9]{0,251}[A-Za-z0-9])?$/,
    'must be at most 253 letters, digits, "-", "_" and ".", with a letter or digit at both ends',
  );
