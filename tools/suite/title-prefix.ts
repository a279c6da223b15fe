/** Returns what ava prints before the titles of a file if it runs all files. */
export function titlePrefix(file: string): string {
  return file
    .replace(/^test\//, '')
    .replace(/\.test\.ts$/, '')
    .replaceAll('/', ' › ');
}
