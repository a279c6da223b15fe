import { openError } from '../go/file-error.ts';
import type { ProgramDependencies } from './dependencies.ts';

/** Reads the file that a flag names. Throws an Error that begins with the flag. */
export async function readFlagFile(
  { readFile }: Pick<ProgramDependencies, 'readFile'>,
  flag: string,
  path: string,
): Promise<Uint8Array> {
  return await readFile(path).catch((error: unknown) => {
    throw new Error(`--${flag}: ${openError(path, error).message}`, { cause: error });
  });
}
