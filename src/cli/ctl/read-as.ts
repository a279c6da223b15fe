import type * as z from 'zod';

/** Reads a part of a result. Throws an error if the agent sent it in another form. */
export function readAs<Output>(schema: z.ZodType<Output>, value: unknown, name: string): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`the command succeeded, but the agent sent a ${name} in an unknown form; update helm-agent`);
}
