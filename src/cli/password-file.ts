import { openError } from '../go/file-error.ts';
import type { ProgramDependencies } from './dependencies.ts';

/** Reads the repository's password from a file, without the white space around it. */
export async function readPassword({ readFile }: Pick<ProgramDependencies, 'readFile'>, path: string): Promise<string> {
  const content = await readFile(path).catch((error: unknown) => {
    throw new Error(`--password-file: ${openError(path, error).message}`, { cause: error });
  });
  return new TextDecoder().decode(content).trim();
}
