/** Returns a frame whose payload is the given text, without parsing it. */
export function frameOf(type: string, payload: string, key?: string): string {
  return JSON.stringify({ key, type, payload });
}

/** Returns a list of this many zeros, as JSON text. */
export const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;

/** Returns an object with this many fields of different names, as JSON text. */
export const fields = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":0`).join(',')}}`;

/** Returns a list of lists of this depth, as JSON text. */
export const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
