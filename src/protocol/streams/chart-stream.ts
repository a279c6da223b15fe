import * as z from 'zod';

/** The digest of a chart's archive: `sha256:` and 64 hex digits. */
export const chartDigestSchema = z
  .string()
  .max(71)
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits');

/**
 * The header of a stream in which a control plane sends the archive of a chart. The agent opens it,
 * ends its own direction, and opens another one if the connection is lost.
 */
export const chartStreamSchema = z.object({
  kind: z.literal('chart'),
  digest: chartDigestSchema,
  /** Number of bytes that the agent already has. */
  offset: z.int().nonnegative(),
});
export type ChartStreamHeader = z.output<typeof chartStreamSchema>;
