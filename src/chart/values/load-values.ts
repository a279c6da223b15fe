import type { ValueMap } from '../../go/value.ts';
import { readYamlMap } from '../../yaml/read.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { asTable } from './table.ts';
import { splitYamlDocuments } from './yaml-documents.ts';

/**
 * Reads a values file. Its YAML documents are merged; later ones take precedence
 * (pkg/chart/v2/loader/load.go: LoadValues). Throws {@link YamlError}.
 */
export function loadValues(text: string): ValueMap {
  const values: ValueMap = new Map();
  const documents = splitYamlDocuments(text);
  for (;;) {
    const { value: document, done } = during('error reading yaml document', () => documents.next());
    if (done === true) return values;
    const read = during('cannot unmarshal yaml document', () => readYamlMap(document));
    if (read !== null) mergeInto(values, read);
  }
}

/** Like {@link mergeMaps}, but changes `base`, so that many small maps merge in linear time. */
function mergeInto(base: ValueMap, over: ValueMap): void {
  for (const [key, value] of over) {
    const table = asTable(value);
    const below = asTable(base.get(key));
    if (table !== undefined && below !== undefined) mergeInto(below, table);
    else base.set(key, value);
  }
}

function during<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof YamlError) throw new YamlError(`${what}: ${error.message}`, error.line);
    throw error;
  }
}

/**
 * Merges two maps into a new one. Nested maps are merged; otherwise `over` takes precedence
 * (pkg/chart/v2/loader/load.go: MergeMaps).
 */
export function mergeMaps(base: ValueMap, over: ValueMap): ValueMap {
  const merged: ValueMap = new Map(base);
  for (const [key, value] of over) {
    const table = asTable(value);
    const below = asTable(merged.get(key));
    merged.set(key, table !== undefined && below !== undefined ? mergeMaps(below, table) : value);
  }
  return merged;
}
