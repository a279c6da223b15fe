import { loadValues, mergeMaps } from '../../chart/load-values.ts';
import { setFiles, setJson, setLiteral, setStrings, setValues } from '../../chart/strvals/index.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';

/** What the user gave as values, in the order in which it was given. */
export interface ValueOptions {
  values?: string[] | undefined;
  set?: string[] | undefined;
  setString?: string[] | undefined;
  setJson?: string[] | undefined;
  setFile?: string[] | undefined;
  setLiteral?: string[] | undefined;
}

/**
 * The values as YAML text; undefined where none were given. As in Helm (pkg/cli/values/options.go) files come first, then --set-json, --set,
 * --set-string, --set-file and --set-literal. Errors name what was given.
 */
export async function mergeValues(
  options: ValueOptions,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  if (Object.values(options).every((given: unknown) => given === undefined)) return undefined;
  const text = async (path: string) => new TextDecoder().decode(await readFile(path));
  let values: ValueMap = new Map<string, Value>();
  for (const path of options.values ?? []) {
    const file = await text(path);
    values = mergeMaps(
      values,
      naming(path, () => loadValues(file)),
    );
  }
  const files = new Map<string, string>();
  for (const path of namedFiles(options.setFile ?? [])) files.set(path, await text(path));
  const set = (flag: string, lines: string[] | undefined, apply: (line: string) => void) => {
    for (const line of lines ?? []) naming(`${flag} ${line}`, () => apply(line));
  };
  set('--set-json', options.setJson, (line) => setJson(line, values));
  set('--set', options.set, (line) => setValues(line, values));
  set('--set-string', options.setString, (line) => setStrings(line, values));
  set('--set-file', options.setFile, (line) => setFiles(line, values, (path) => files.get(path) ?? ''));
  set('--set-literal', options.setLiteral, (line) => setLiteral(line, values));
  return writeYaml(values);
}

/** The files that --set-file lines name: reading them takes time, and setting values does not wait. */
function namedFiles(lines: string[]): string[] {
  const paths: string[] = [];
  for (const line of lines) {
    naming(`--set-file ${line}`, () =>
      setFiles(line, new Map<string, Value>(), (path) => {
        paths.push(path);
        return '';
      }),
    );
  }
  return paths;
}

function naming<Result>(what: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
