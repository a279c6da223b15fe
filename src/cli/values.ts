import { setFiles } from '../chart/strvals/index.ts';
import { mergeValueOptions } from '../chart/value-options.ts';
import type { Value, ValueMap } from '../go/value.ts';

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
  const contents = new Map<string, string | Error>();
  for (const path of [...values, ...namedFiles(setFile)]) {
    contents.set(path, await readFile(path).then(decodeText, (error: unknown) => asOpenError(path, error)));
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
    const content = contents.get(path) ?? '';
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
  try {
    for (const line of lines) setFiles(line, target, note);
  } catch {
    // a line that cannot be read is reported when the values are merged
  }
  return paths;
}

function decodeText(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}

const goReasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `open ${path}: no such file or directory`,
  EACCES: (path) => `open ${path}: permission denied`,
  EISDIR: (path) => `read ${path}: is a directory`,
};

/** The error in Go's words. */
function asOpenError(path: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const text = 'code' in error ? goReasons[String(error.code)]?.(path) : undefined;
  return text === undefined ? error : new Error(text, { cause: error });
}
