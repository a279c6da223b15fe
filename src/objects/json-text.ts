/** Parts of `JSON` that Node has and TypeScript's library lacks. */
const { rawJSON, parse } = JSON as Omit<typeof JSON, 'parse'> & {
  rawJSON: (text: string) => unknown;
  parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};

/** Returns JSON text. A bigint becomes an integer with all its digits. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? rawJSON(String(item)) : item));
}

/** Returns what JSON text has. Undefined: the text is not JSON. No error quotes it. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Digits of an integer that may not be safe. */
const manyDigits = /\d{16}/;

/** Reads JSON text. An integer that a number would round is a bigint, as in {@link exactNumber}. */
export function parseJsonText(text: string): unknown {
  if (!manyDigits.test(text)) return JSON.parse(text);
  return parse(text, (_, value, { source = '' }) => (typeof value === 'number' ? exactNumber(value, source) : value));
}

/**
 * Returns an integer as bigint if a number would round it. As in Kubernetes, one that int64 does
 * not hold is a float (k8s.io/apimachinery/pkg/util/json).
 */
export function exactNumber(value: number, text: string): number | bigint {
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return value;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}
