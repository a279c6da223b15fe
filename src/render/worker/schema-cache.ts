import type { SchemaCache } from '../../chart/schema/compile-schema.ts';
import type { Schema } from '../../chart/schema/schema.ts';
import { createWeightedCache } from '../../template/weighted-cache.ts';

/** How many characters of schemas stay compiled; a million take some 10 MB. */
const keptSchemas = 1_000_000;

/** Keeps the schemas that were used last compiled, from render to render. */
export function createSchemaCache(): SchemaCache {
  return createWeightedCache<Schema>(keptSchemas);
}
