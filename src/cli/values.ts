import { setFiles } from '../chart/strvals/index.ts';
import { mergeValueOptions } from '../chart/values/value-options.ts';
import type { Value, ValueMap } from '../go/value.ts';
import { readValueFile } from './value-file.ts';

/** What the user gave as values, in the order in which it was given. */
export interface ValueFlags {
  values?: string[] | undefined;
  set?: string[] | undefined;
  setString?: string[] | undefined;
  setJson?: string[] | undefined;
  setFile?: string[] | undefined;
  setLiteral?: string[] | undefined;
}

/** The values, merged as Helm merges them. Errors have Helm's texts. */
export async function mergeValueFlags(
  flags: ValueFlags,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<ValueMap> {
  const { values = [], set = [], setString = [], setJson = [], setFile = [], setLiteral = [] } = flags;
  // in the order in which they are named: stdin can be read but once
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

/** The files that --set-file lines name: reading them takes time, and setting values does not wait. */
function namedFiles(lines: readonly string[]): string[] {
  const paths: string[] = [];
  const note = (path: string) => {
    paths.push(path);
    return '';
  };
  const target = new Map<string, Value>();
  for (const line of lines) {
    try {
      setFiles(line, target, note);
    } catch {
      // a line that cannot be read is reported when the values are merged
    }
  }
  return paths;
}
