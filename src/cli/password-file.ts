import type { ProgramDependencies } from './dependencies.ts';
import { readFlagFile } from './flag-file.ts';

/** Reads the repository's password from a file, without the white space around it. */
export async function readPassword(files: Pick<ProgramDependencies, 'readFile'>, path: string): Promise<string> {
  return new TextDecoder().decode(await readFlagFile(files, 'password-file', path)).trim();
}
