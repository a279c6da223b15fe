/** The last part of a path with forward slashes. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a template is there to be included only: its name begins with `_`. */
export function isPartial(path: string): boolean {
  return baseName(path).startsWith('_');
}
