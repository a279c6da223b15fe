/** Number of things in a JSON text. */
interface JsonSize {
  /** Levels of nesting. */
  depth: number;
  /** Values, without those of objects with one field and of lists with one item. */
  values: number;
  /** Fields of all objects. */
  fields: number;
}

/**
 * The largest JSON text that is parsed. `JSON.parse` needs a second for a million field names or
 * levels, and holds up all connections meanwhile.
 */
const jsonLimits: Readonly<JsonSize> = { depth: 200, values: 200_000, fields: 50_000 };

/** A text that is not JSON or exceeds `jsonLimits`. The message is the end of a sentence. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/**
 * Parses JSON text. Throws `JsonTextError`, without quoting the text, which may hold a password.
 */
export function parseJson(text: string): unknown {
  const problem = exceededLimit(measureJson(text));
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
  const { depth, values, fields } = measureJson(text);
  return exceededLimit({ depth: depth + more, values: values + more, fields: fields + more }) === undefined;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Measures a JSON text in one pass, without parsing it. Stops when a limit is exceeded. The size of
 * a text that is not JSON has no meaning, but is always found in linear time.
 */
function measureJson(text: string): JsonSize {
  const size = { depth: 0, values: 1, fields: 0 };
  const { length } = text;
  let level = 0;
  let isInString = false;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === backslash) index++;
      else if (code === quote) isInString = false;
      continue;
    }
    switch (code) {
      case quote:
        isInString = true;
        break;
      case comma:
        if (++size.values > jsonLimits.values) return size;
        break;
      case colon:
        if (++size.fields > jsonLimits.fields) return size;
        break;
      case openBracket:
      case openBrace:
        if (++level > size.depth) size.depth = level;
        if (++size.values > jsonLimits.values || size.depth > jsonLimits.depth) return size;
        break;
      case closeBracket:
      case closeBrace:
        level--;
        break;
    }
  }
  return size;
}

function exceededLimit({ depth, values, fields }: JsonSize): string | undefined {
  if (depth > jsonLimits.depth) return `must not be nested more than ${jsonLimits.depth} levels deep`;
  if (values > jsonLimits.values) return `must not have more than ${jsonLimits.values} values`;
  if (fields > jsonLimits.fields) return `must not have more than ${jsonLimits.fields} fields`;
  return undefined;
}
