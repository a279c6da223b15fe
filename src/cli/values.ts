import { setFiles } from '../chart/strvals/index.ts';
import { mergeValueOptions } from '../chart/values/value-options.ts';
import type { Value, ValueMap } from '../go/value.ts';
import { readValueFile } from './value-file.ts';

/** Flags that set values, each in the order in which it was given. */
export interface ValueFlags {
  values?: string[] | undefined;
  set?: string[] | undefined;
  setString?: string[] | undefined;
  setJson?: string[] | undefined;
  setFile?: string[] | undefined;
  setLiteral?: string[] | undefined;
}

/** Merges values as Helm does. Errors have Helm's texts. */
export async function mergeValueFlags(
  flags: ValueFlags,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<ValueMap> {
  const { values = [], set = [], setString = [], setJson = [], setFile = [], setLiteral = [] } = flags;
  // read in the order given, because stdin can be read only once
  const contents = new Map<string, (string | Error)[]>();
  for (const path of [...values, ...namedFiles(setFile)]) {
    const content = await readValueFile(path, readFile).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    contents.set(path, [...(contents.get(path) ?? []), content]);
  }
  const options = {
    files: values,
    json: setJson,
    values: set,
    strings: setString,
    fileValues: setFile,
    literals: setLiteral,
  };
  return mergeValueOptions(options, (path) => {
    const content = contents.get(path)?.shift() ?? '';
    if (content instanceof Error) throw content;
    return content;
  });
}

/** Returns the paths in --set-file flags, so that the files can be read before values are set. */
function namedFiles(lines: readonly string[]): string[] {
  const paths: string[] = [];
  const collectPath = (path: string) => {
    paths.push(path);
    return '';
  };
  const target = new Map<string, Value>();
  for (const line of lines) {
    try {
      setFiles(line, target, collectPath);
    } catch {
      // a flag that cannot be parsed is reported when the values are merged
    }
  }
  return paths;
}
