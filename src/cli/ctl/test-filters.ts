/** Reads filters of tests as Helm does, which ignores any other (pkg/cmd/release_testing.go). */
export function namesOfFilters(filters: readonly string[]) {
  const include = filters.flatMap((text) => /^name=(.*)/s.exec(text)?.[1] ?? []);
  const exclude = filters.flatMap((text) => /^!\s?name=(.*)/s.exec(text)?.[1] ?? []);
  return { ...(include.length > 0 && { include }), ...(exclude.length > 0 && { exclude }) };
}
