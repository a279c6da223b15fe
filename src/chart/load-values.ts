import type { Value, ValueMap } from '../go/value.ts';
import { readYamlMap } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { asTable } from './table.ts';

/** Reads a values file: its YAML documents are merged, later ones win (pkg/chart/v2/loader/load.go: LoadValues). Throws {@link YamlError}. */
export function loadValues(text: string): ValueMap {
  let values: ValueMap = new Map();
  for (const document of splitDocuments(text)) values = mergeMaps(values, readDocument(document));
  return values;
}

function readDocument(text: string): ValueMap {
  try {
    return readYamlMap(text) ?? new Map<string, Value>();
  } catch (error) {
    if (error instanceof YamlError) throw new YamlError(`cannot unmarshal yaml document: ${error.message}`, error.line);
    throw error;
  }
}

/** Cuts at lines that begin with `---`; behind it only a comment may stand. */
function splitDocuments(text: string): string[] {
  if (!/^---/m.test(text)) return text === '' ? [] : [text];
  const documents: string[] = [];
  let lines = '';
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('---')) {
      const rest = line.slice(3).trim();
      if (rest !== '' && !rest.startsWith('#')) {
        throw new YamlError(`error reading yaml document: invalid Yaml document separator: ${rest}`);
      }
      if (lines !== '') {
        documents.push(lines);
        lines = '';
        continue;
      }
    }
    lines += `${line.replace(/\r$/, '')}\n`;
  }
  if (lines !== '') documents.push(lines);
  return documents;
}

/** Merges two maps into a new one; where both have a value that is no map, `over` wins (pkg/chart/v2/loader/load.go: MergeMaps). */
export function mergeMaps(base: ValueMap, over: ValueMap): ValueMap {
  const merged: ValueMap = new Map(base);
  for (const [key, value] of over) {
    const table = asTable(value);
    const below = asTable(merged.get(key));
    merged.set(key, table !== undefined && below !== undefined ? mergeMaps(below, table) : value);
  }
  return merged;
}
