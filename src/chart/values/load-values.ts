import { trimSpace } from '../../go/space.ts';
import type { ValueMap } from '../../go/value.ts';
import { readYamlMap } from '../../yaml/read.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { asTable } from './table.ts';

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

/**
 * Splits a text at lines that start with `---`, which only a comment may follow. Every line of the
 * result ends with a line feed (k8s.io/apimachinery/pkg/util/yaml/decoder.go: YAMLReader). Throws
 * {@link YamlError} after the documents before the error.
 */
export function* splitYamlDocuments(text: string): Generator<string, void> {
  if (text === '') return;
  if (!/^---|\r/m.test(text)) {
    yield text.endsWith('\n') ? text : `${text}\n`;
    return;
  }
  let lines = '';
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('---')) {
      const rest = trimSpace(line.slice(3));
      if (rest !== '' && !rest.startsWith('#')) {
        throw new YamlError(`invalid Yaml document separator: ${rest}`);
      }
      if (lines !== '') {
        yield lines;
        lines = '';
        continue;
      }
    }
    lines += `${line.replace(/\r$/, '')}\n`;
  }
  if (lines !== '') yield lines;
}
