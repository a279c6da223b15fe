import { setFiles } from '../../chart/strvals/index.ts';
import { mergeValueOptions } from '../../chart/value-options.ts';
import type { Value } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';

/** What the user gave as values, in the order in which it was given. */
export interface ValueFlags {
  values?: string[] | undefined;
  set?: string[] | undefined;
  setString?: string[] | undefined;
  setJson?: string[] | undefined;
  setFile?: string[] | undefined;
  setLiteral?: string[] | undefined;
}

/** The values as YAML text, merged as Helm merges them; undefined where none were given. Errors have Helm's texts. */
export async function mergeValues(
  flags: ValueFlags,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  const { values = [], set = [], setString = [], setJson = [], setFile = [], setLiteral = [] } = flags;
  if ([values, set, setString, setJson, setFile, setLiteral].every((given) => given.length === 0)) return undefined;
  const texts = new Map<string, string>();
  for (const path of [...values, ...namedFiles(setFile)]) {
    texts.set(path, new TextDecoder().decode(await readFile(path)));
  }
  const options = {
    files: values,
    json: setJson,
    values: set,
    strings: setString,
    fileValues: setFile,
    literals: setLiteral,
  };
  return writeYaml(mergeValueOptions(options, (path) => texts.get(path) ?? ''));
}

/** The files that --set-file lines name: reading them takes time, and setting values does not wait. */
function namedFiles(lines: readonly string[]): string[] {
  const paths: string[] = [];
  const note = (path: string) => {
    paths.push(path);
    return '';
  };
  const target = new Map<string, Value>();
  for (const line of lines) setFiles(line, target, note);
  return paths;
}
