import type { SchemaCache } from '../chart/schema/compile-schema.ts';
import type { Schema } from '../chart/schema/schema.ts';
import { createWeightedCache } from '../template/weighted-cache.ts';

/** Number of characters of schemas to keep compiled. A million need about 10 MB. */
const keptSchemas = 1_000_000;

/** Returns a cache that keeps the most recently used schemas compiled between renders. */
export function createSchemaCache(): SchemaCache {
  return createWeightedCache<Schema>(keptSchemas);
}
