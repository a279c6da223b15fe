import { messageOf } from '../../errors/index.ts';
import { decodeJsonObject } from '../../go/json-decode.ts';
import { GoError, type ValueMap } from '../../go/value.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { setFiles, setJson, setLiteral, setStrings, setValues } from '../strvals/index.ts';
import { loadValues, mergeMaps } from './load-values.ts';
import { ValuesError } from './values-error.ts';

/** Value flags of a command line, each in the order given. */
export interface ValueOptions {
  /** `-f`: paths of YAML files. */
  files?: readonly string[];
  /** `--set-json`: a JSON object, or assignments of JSON. */
  json?: readonly string[];
  /** `--set` */
  values?: readonly string[];
  /** `--set-string` */
  strings?: readonly string[];
  /** `--set-file`: assignments of file paths. */
  fileValues?: readonly string[];
  /** `--set-literal` */
  literals?: readonly string[];
}

/**
 * Merges value flags into `base`, in Helm's order: files, JSON, values, strings, file contents,
 * literals (pkg/cli/values/options.go). `base` is changed. Throws {@link ValuesError} with Helm's
 * texts; errors of `read` propagate.
 */
export function mergeValueOptions(
  options: ValueOptions,
  read: (path: string) => string,
  base: ValueMap = new Map(),
): ValueMap {
  let merged = base;
  for (const path of options.files ?? []) merged = mergeMaps(merged, valuesFile(path, read(path)));
  for (const text of options.json ?? []) {
    if (text.trimStart().startsWith('{')) merged = mergeMaps(merged, jsonObject(text));
    else
      attempt(
        () => setJson(text, merged),
        () => `failed parsing --set-json data ${text}`,
      );
  }
  for (const line of options.values ?? []) {
    attempt(
      () => setValues(line, merged),
      (reason) => `failed parsing --set data: ${reason}`,
    );
  }
  for (const line of options.strings ?? []) {
    attempt(
      () => setStrings(line, merged),
      (reason) => `failed parsing --set-string data: ${reason}`,
    );
  }
  for (const line of options.fileValues ?? []) {
    attempt(
      () => setFiles(line, merged, read),
      (reason) => `failed parsing --set-file data: ${reason}`,
    );
  }
  for (const line of options.literals ?? []) {
    attempt(
      () => setLiteral(line, merged),
      (reason) => `failed parsing --set-literal data: ${reason}`,
    );
  }
  return merged;
}

function valuesFile(path: string, text: string): ValueMap {
  try {
    return loadValues(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ValuesError(`failed to parse ${path}: ${error.message}`, { cause: error });
  }
}

function jsonObject(text: string): ValueMap {
  try {
    const { value, error } = decodeJsonObject(text.trim());
    if (error === undefined) return value;
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
  }
  throw new ValuesError(`failed parsing --set-json data JSON: ${text}`);
}

function attempt(set: () => void, message: (reason: string) => string): void {
  try {
    set();
  } catch (cause) {
    throw new ValuesError(message(messageOf(cause)), { cause });
  }
}
