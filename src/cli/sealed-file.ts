import { openError } from '../go/file-error.ts';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { type Sealed, sealedSchema } from '../protocol/sealed.ts';
import type { ProgramDependencies } from './dependencies.ts';

/** Reads a file that `ctl seal` has written. `flag` names it, for errors. */
export async function readSealedFile(
  { readFile }: Pick<ProgramDependencies, 'readFile'>,
  path: string,
  flag: string,
): Promise<Sealed> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Error(`--${flag}: ${openError(path, error).message}`, { cause: error });
  });
  try {
    const { data } = sealedSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
    if (data !== undefined) return data;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw new Error(`--${flag}: ${path} is not a sealed text; write it with ctl seal`);
}
