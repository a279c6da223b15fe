import { JsonTextError, parseJson } from '../protocol/json.ts';
import { type Sealed, sealedSchema } from '../protocol/sealed.ts';
import type { ProgramDependencies } from './dependencies.ts';
import { readFlagFile } from './flag-file.ts';

/** Reads a file that `ctl seal` has written. `flag` names it, for errors. */
export async function readSealedFile(
  files: Pick<ProgramDependencies, 'readFile'>,
  path: string,
  flag: string,
): Promise<Sealed> {
  const bytes = await readFlagFile(files, flag, path);
  try {
    const { data } = sealedSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
    if (data !== undefined) return data;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw new Error(`--${flag}: ${path} is not a sealed text; write it with ctl seal`);
}
