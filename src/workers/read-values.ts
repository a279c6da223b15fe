import { coalesceValues } from '../chart/values/coalesce.ts';
import { coalesceTables, type Warn } from '../chart/values/coalesce-tables.ts';
import { loadValues, mergeMaps } from '../chart/values/load-values.ts';
import { mergeValueOptions, type ValueOptions } from '../chart/values/value-options.ts';
import { ValuesError } from '../chart/values/values-error.ts';
import { GoError, type Value, type ValueMap } from '../go/value.ts';
import { plainObject, valueMapOfPlain } from '../release/plain-value.ts';
import { secretTexts, valuePaths } from '../release/secret-values.ts';
import type { ReleaseValues, SecretValues, SetValue, StoredValues, ValuesSource } from '../render/release-renderer.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { TextError } from './text-error.ts';

/** The values for a render. */
export interface GivenValues {
  /** Values from the user, as the revision stores them. */
  values: ValueMap;
  /** Default values that replace those of the chart. Undefined if the chart's own apply. */
  defaults?: ValueMap;
}

/** Helm's order, whatever the order of the list. */
const kindsInOrder: readonly [kind: SetValue['kind'], option: Exclude<keyof ValueOptions, 'files'>][] = [
  ['set-json', 'json'],
  ['set', 'values'],
  ['set-string', 'strings'],
  ['set-file', 'fileValues'],
  ['set-literal', 'literals'],
];

/**
 * Reads values. Throws TextError `values_invalid`, with the line if YAML is wrong. `warn` receives
 * what Helm logs about the values that it reuses.
 */
export function readValues(
  { sources = [], yaml = [], set = [], stored }: ReleaseValues,
  warn: Warn = () => undefined,
): GivenValues {
  const texts = typeof yaml === 'string' ? [yaml] : yaml;
  const merged = texts.map(parseValues).reduce(mergeMaps, sources.reduce(withSource, new Map<string, Value>()));
  const given = setValues(merged, set);
  return stored === undefined ? { values: given } : reuseValues(given, stored, warn);
}

/** Merges given values with those of the revision before (pkg/action/upgrade.go: reuseValues). */
function reuseValues(given: ValueMap, { config, chart, reuse }: StoredValues, warn: Warn): GivenValues {
  const old = valueMapOfPlain(config);
  switch (reuse) {
    case 'if-none-given':
      return { values: given.size === 0 ? old : given };
    case 'without-defaults':
      return { values: coalesceTables(given, old, 'coalesce', warn) };
    case 'with-defaults': {
      // as in Helm, a stored chart has no subcharts
      const oldChart = { metadata: { name: chart.name }, values: valueMapOfPlain(chart.values), dependencies: [] };
      const defaults = coalesceValues(oldChart, old, warn);
      return { values: coalesceTables(given, old, 'coalesce', warn), defaults };
    }
  }
}

/** Returns the secret values among those of sources. Throws TextError `values_invalid`. */
export function readSecretValues(sources: readonly ValuesSource[]): SecretValues {
  const secret = sources.filter(({ isSecret }) => isSecret).reduce(withSource, new Map<string, Value>());
  const config = plainObject(secret);
  const paths = secret.size === 0 ? [] : valuePaths(config);
  return { paths, texts: secretTexts({ config, secret_values: paths }) };
}

/** Errors do not quote what is in a Secret, or in a value that has a path. */
function withSource(base: ValueMap, { name, text, path, isSecret }: ValuesSource): ValueMap {
  try {
    if (path === undefined) return mergeMaps(base, loadValues(text));
    return setOne(base, path, text);
  } catch (error) {
    if (!(error instanceof YamlError) && !(error instanceof GoError) && !(error instanceof ValuesError)) throw error;
    const line = error instanceof YamlError ? error.line : undefined;
    const position = { file: name, ...(line !== undefined && { line }) };
    const advice = path === undefined ? 'give a YAML mapping' : 'the value cannot be set at targetPath';
    const detail = isSecret || path !== undefined ? '' : `: ${error.message}`;
    throw new TextError('values_invalid', `${name}: ${advice}${detail}`, position);
  }
}

/**
 * Sets one value, of the type that Helm's `--set` gives to its text. A text in quotes is a string.
 * Unlike `--set`, it does not end at a comma, so a Secret sets nothing but the value.
 */
function setOne(base: ValueMap, path: string, text: string): ValueMap {
  const quoted = /^'[^]*'$|^"[^]*"$/.test(text) && text.length > 1;
  const value = quoted ? text.slice(1, -1) : text;
  const line = `${path}=${value.replace(/[\\,{]/g, '\\$&')}`;
  return mergeValueOptions({ [quoted ? 'strings' : 'values']: [line] }, () => '', base);
}

function parseValues(yaml: string): ValueMap {
  try {
    return loadValues(yaml);
  } catch (error) {
    if (!(error instanceof YamlError) && !(error instanceof GoError)) throw error;
    const line = error instanceof YamlError ? error.line : undefined;
    const position = { file: 'values', ...(line !== undefined && { line }) };
    throw new TextError('values_invalid', `values: give a YAML mapping: ${error.message}`, position, error);
  }
}

function setValues(base: ValueMap, set: readonly SetValue[]): ValueMap {
  let merged = base;
  for (const [kind, option] of kindsInOrder) {
    for (const [index, entry] of set.entries()) {
      if (entry.kind === kind) merged = setValue(merged, entry, option, index);
    }
  }
  return merged;
}

/** Errors do not quote the text, unlike Helm's, because it may have a secret. */
function setValue(base: ValueMap, { kind, text, files = {} }: SetValue, option: keyof ValueOptions, index: number) {
  const read = (path: string) => {
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content !== undefined) return content;
    throw invalid(`set[${index}]: give the content of each file that the text names, in files`);
  };
  try {
    return mergeValueOptions({ [option]: [text] }, read, base);
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    if (error.cause instanceof TextError) throw error.cause;
    throw invalid(`set[${index}]: the text cannot be read; write it as for --${kind} of helm`);
  }
}

function invalid(message: string): TextError {
  return new TextError('values_invalid', message);
}
