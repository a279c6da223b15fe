import type { Value, ValueMap } from '../go/value.ts';
import { readYamlMap } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { asTable } from './table.ts';
import { splitYamlDocuments } from './yaml-documents.ts';

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

function splitDocuments(text: string): string[] {
  try {
    return splitYamlDocuments(text);
  } catch (error) {
    if (error instanceof YamlError) throw new YamlError(`error reading yaml document: ${error.message}`, error.line);
    throw error;
  }
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
