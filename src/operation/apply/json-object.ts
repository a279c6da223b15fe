/** Whether plain data is an object: no list, not null. */
export function isJsonObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
