import { extname } from 'node:path';

/** The URL of a module beside `from`, whether the program runs from TypeScript or was built. */
export function moduleUrl(name: string, from: string): URL {
  return new URL(`./${name}${extname(new URL(from).pathname)}`, from);
}
