import { type JsonSize, measureJson } from '../go/json-size.ts';

/**
 * The largest JSON text that is parsed. Values of charts have up to 1,000 levels. `JSON.parse`
 * needs a second for a million field names or levels, and holds up all connections meanwhile.
 */
const jsonLimits: Readonly<JsonSize> = { depth: 1100, values: 200_000, fields: 50_000 };

const leastLimit = Math.min(...Object.values(jsonLimits));

/** A text that is not JSON or exceeds `jsonLimits`. The message is the end of a sentence. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/**
 * Parses JSON text. Throws `JsonTextError`, without quoting the text, which may hold a password.
 */
export function parseJson(text: string): unknown {
  // a text has no more levels, values and fields than characters
  const problem = text.length > leastLimit ? exceededLimit(measureJson(text, jsonLimits)) : undefined;
  if (problem !== undefined) throw new JsonTextError(problem);
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonTextError('must be JSON text');
  }
}

/**
 * Whether a JSON text is small enough for `parseJson`, also as part of a text with this many more
 * levels and as many more fields.
 */
export function isParsableJson(text: string, more = 0): boolean {
  const { depth, values, fields } = measureJson(text, jsonLimits);
  return exceededLimit({ depth: depth + more, values: values + more, fields: fields + more }) === undefined;
}

function exceededLimit({ depth, values, fields }: JsonSize): string | undefined {
  if (depth > jsonLimits.depth) return `must not be nested more than ${jsonLimits.depth} levels deep`;
  if (values > jsonLimits.values) return `must not have more than ${jsonLimits.values} values`;
  if (fields > jsonLimits.fields) return `must not have more than ${jsonLimits.fields} fields`;
  return undefined;
}
