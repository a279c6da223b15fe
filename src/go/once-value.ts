/**
 * Returns a function that calls `create` the first time and returns the same value each time, like
 * `sync.OnceValue`.
 */
export function onceValue<T extends object>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}
