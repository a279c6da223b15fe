/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error of the file system says that a file, or a folder above it, does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}
