/** Number of things in a JSON text. */
export interface JsonSize {
  /** Levels of nesting. */
  depth: number;
  /** Values, without those of objects with one field and of lists with one item. */
  values: number;
  /** Fields of all objects. */
  fields: number;
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
export function measureJson(text: string, limits: Readonly<JsonSize>): JsonSize {
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
        if (++size.values > limits.values) return size;
        break;
      case colon:
        if (++size.fields > limits.fields) return size;
        break;
      case openBracket:
      case openBrace:
        if (++level > size.depth) size.depth = level;
        if (++size.values > limits.values || size.depth > limits.depth) return size;
        break;
      case closeBracket:
      case closeBrace:
        level--;
        break;
    }
  }
  return size;
}
