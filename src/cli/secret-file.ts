import type { ProgramDependencies } from './dependencies.ts';

/** Reads a password or a token; white space around it is no part of it. */
export async function readSecret({ readFile }: Pick<ProgramDependencies, 'readFile'>, path: string): Promise<string> {
  return new TextDecoder().decode(await readFile(path)).trim();
}
