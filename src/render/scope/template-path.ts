/** Returns the last part of a path with forward slashes. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a template can only be included: its name begins with `_`. */
export function isPartial(path: string): boolean {
  return baseName(path).startsWith('_');
}
