import { extname } from 'node:path';

/** Returns the URL of a module in `bin/`. A bundle has all modules in one folder. */
export function moduleUrl(name: string): URL {
  const extension = extname(import.meta.url);
  return new URL(extension === '.ts' ? `../bin/${name}.ts` : `./${name}${extension}`, import.meta.url);
}
