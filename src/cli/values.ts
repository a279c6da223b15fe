import { setFiles } from '../chart/strvals/index.ts';
import { mergeValueOptions } from '../chart/values/value-options.ts';
import { asError } from '../errors/index.ts';
import { parseUrl } from '../functions/support/net-url.ts';
import { openError } from '../go/file-error.ts';
import { fromBytes } from '../go/text.ts';
import type { Value, ValueMap } from '../go/value.ts';
import type { SetValue } from '../render/release-renderer.ts';

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
  return merged(flags, await readFiles(flags, readFile));
}

/** The flags that set values, as a command of the protocol has them. */
export interface ValueParameters {
  /** The contents of the files with values. */
  values?: string[];
  set?: SetValue[];
}

/**
 * Returns what the flags set, for an agent that merges it. Errors have Helm's texts; they are found
 * here, because those of an agent do not quote what was given.
 */
export async function valueParameters(
  flags: ValueFlags,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<ValueParameters> {
  const contents = await readFiles(flags, readFile);
  merged(flags, contents);
  const { values = [], set = [], setString = [], setJson = [], setFile = [], setLiteral = [] } = flags;
  const take = takeFrom(contents);
  const texts = values.map(take);
  const list: SetValue[] = [
    ...setJson.map((text) => ({ kind: 'set-json' as const, text })),
    ...set.map((text) => ({ kind: 'set' as const, text })),
    ...setString.map((text) => ({ kind: 'set-string' as const, text })),
    ...setFile.map((text) => ({
      kind: 'set-file' as const,
      text,
      files: Object.fromEntries(namedFiles([text]).map((path) => [path, take(path)])),
    })),
    ...setLiteral.map((text) => ({ kind: 'set-literal' as const, text })),
  ];
  return { ...(texts.length > 0 && { values: texts }), ...(list.length > 0 && { set: list }) };
}

/** Contents of the files by path, in the order in which they are used. */
type Contents = ReadonlyMap<string, readonly (string | Error)[]>;

/** Reads files in the order given, because stdin can be read only once. */
async function readFiles(
  { values = [], setFile = [] }: ValueFlags,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<Contents> {
  const contents = new Map<string, (string | Error)[]>();
  for (const path of [...values, ...namedFiles(setFile)]) {
    const content = await readValueFile(path, readFile).catch(asError);
    contents.set(path, [...(contents.get(path) ?? []), content]);
  }
  return contents;
}

/** Returns a function that returns the contents of a path one after the other. */
function takeFrom(contents: Contents): (path: string) => string {
  const left = new Map(Array.from(contents, ([path, list]) => [path, list.values()]));
  return (path) => {
    const content = left.get(path)?.next().value ?? '';
    if (content instanceof Error) throw content;
    return content;
  };
}

function merged(flags: ValueFlags, contents: Contents): ValueMap {
  const { values = [], set = [], setString = [], setJson = [], setFile = [], setLiteral = [] } = flags;
  const options = {
    files: values,
    json: setJson,
    values: set,
    strings: setString,
    fileValues: setFile,
    literals: setLiteral,
  };
  return mergeValueOptions(options, takeFrom(contents));
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

/**
 * Reads values from a path, from stdin for `-`, or from a URL (pkg/cli/values/options.go:
 * readFile). Throws an error with Go's text if a path cannot be read, or `SourceError`.
 */
async function readValueFile(path: string, readFile: (path: string) => Promise<Uint8Array>): Promise<string> {
  if (path.trim() !== '-' && ['http', 'https'].includes(parseUrl(path).scheme)) {
    const { fetchText } = await import('../source/http/download.ts'); // few values come from a URL
    return fetchText(path, 'the file of values', new AbortController().signal);
  }
  try {
    return fromBytes(await readFile(path));
  } catch (error) {
    throw openError(path, error);
  }
}
