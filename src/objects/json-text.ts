/** `JSON.rawJSON`, which Node has and TypeScript's library lacks. */
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => unknown };

/** Returns JSON text. A bigint becomes an integer with all its digits. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? rawJSON(String(item)) : item));
}
