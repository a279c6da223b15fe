import { extname } from 'node:path';

/** Returns the URL of a module in the folder of `from`, in TypeScript or built. */
export function moduleUrl(name: string, from: string): URL {
  return new URL(`./${name}${extname(new URL(from).pathname)}`, from);
}
