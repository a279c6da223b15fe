import * as z from 'zod';
import { isJsonObject } from '../objects/fields.ts';
import type { Release } from './release.ts';
import { releaseStatuses } from './status.ts';

// The JSON of Helm 3 and Helm 4. Other fields are kept unchanged.

/** Kept as it is: `z.record` would drop a key named `__proto__`. */
const object = z.custom<Record<string, unknown>>(isJsonObject, 'not an object');

const file = z.looseObject({ name: z.string(), data: z.string().nullable().default(null) });

const metadata = z.looseObject({
  name: z.string().exactOptional(),
  version: z.string().exactOptional(),
  appVersion: z.string().exactOptional(),
  apiVersion: z.string().exactOptional(),
  description: z.string().exactOptional(),
});

const chart = z.looseObject({
  metadata: metadata.nullable().default(null),
  lock: object.nullable().default(null),
  templates: z.array(file).nullable().default(null),
  values: object.nullable().default(null),
  schema: z.string().nullable().default(null),
  files: z.array(file).nullable().default(null),
});

const hook = z.looseObject({
  name: z.string().default(''),
  kind: z.string().default(''),
  path: z.string().default(''),
  manifest: z.string().default(''),
  events: z.array(z.string()).default([]),
  last_run: z
    .looseObject({
      started_at: z.string().exactOptional(),
      completed_at: z.string().exactOptional(),
      phase: z.string().default(''),
    })
    .default({ phase: '' }),
  weight: z.int().exactOptional(),
  delete_policies: z.array(z.string()).exactOptional(),
  output_log_policies: z.array(z.string()).exactOptional(),
});

const info = z.looseObject({
  first_deployed: z.string().exactOptional(),
  last_deployed: z.string().exactOptional(),
  deleted: z.string().exactOptional(),
  description: z.string().exactOptional(),
  status: z.enum(releaseStatuses).catch('unknown').default('unknown'),
  notes: z.string().exactOptional(),
});

/** Schema of a stored release. */
export const releaseSchema: z.ZodType<Release> = z.looseObject({
  name: z.string().min(1),
  namespace: z.string().default(''),
  version: z.int().min(1),
  info,
  chart,
  config: object.exactOptional(),
  manifest: z.string().default(''),
  hooks: z.array(hook).exactOptional(),
  apply_method: z.string().exactOptional(),
  secret_values: z.array(z.string().max(1024)).max(1000).exactOptional(),
});
