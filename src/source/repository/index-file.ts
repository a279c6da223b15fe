import { measureJson } from '../../go/json-size.ts';
import { isJsonObject } from '../../objects/fields.ts';
import { TypedScalar, type YamlTree } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { SourceError } from '../source-error.ts';
import { type IndexedVersion, readEntry } from './index-entry.ts';

/** The index of a repository. */
export interface RepositoryIndex {
  readonly chartNames: readonly string[];
  /**
   * Returns the valid versions of a chart in the order of the index; undefined if there is no such
   * chart. Throws like {@link readIndex}.
   */
  versionsOf(chart: string): IndexedVersion[] | undefined;
}

/**
 * Reads an index.yaml in JSON or YAML, as Helm does; invalid entries are skipped. `where` is its
 * URL in messages. Throws {@link SourceError} with `repository_invalid`.
 */
export function readIndex(text: string, where: string): RepositoryIndex {
  if (text.trim() === '') throw invalid(where, 'it is empty');
  if (/^\s*</.test(text)) throw invalid(where, 'it is an HTML or XML page');
  const json = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  if (json !== undefined) return indexOf(json, where);
  return readInSections(text, where) ?? indexOf(parseYaml(text, where), where);
}

function invalid(where: string, reason: string, options?: { cause: unknown }): SourceError {
  return new SourceError(
    'repository_invalid',
    `the response of ${where} is not the index of a chart repository: ${reason}; check the repository's URL`,
    options,
  );
}

/** Limit on the values of an index in JSON, which take far more memory than their text. */
const maxJsonValues = 1_000_000;

function parseJson(text: string): unknown {
  const { values } = measureJson(text, { depth: Infinity, values: maxJsonValues, fields: Infinity });
  if (values > maxJsonValues) throw new SourceError('too_large', `the index has more than ${maxJsonValues} values`);
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // YAML in flow style begins with a brace, too
  }
}

/** Parses the text of an index, or of the part that `part` describes in the error. */
function parseYaml(text: string, where: string, part = ''): unknown {
  try {
    return toStrings(readTypedYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalid(where, part + error.message, { cause: error });
  }
}

/**
 * Replaces scalars by their text: like Go, which decodes numbers and booleans into string fields.
 */
function toStrings(tree: YamlTree): unknown {
  if (tree instanceof TypedScalar) return tree.text;
  if (Array.isArray(tree)) return tree.map(toStrings);
  if (tree instanceof Map) return Object.fromEntries([...tree].map(([key, value]) => [key, toStrings(value)]));
  return tree;
}

function indexOf(document: unknown, where: string): RepositoryIndex {
  if (!isJsonObject(document)) throw invalid(where, 'it is not a mapping');
  if (typeof document.apiVersion !== 'string' || document.apiVersion === '') throw withoutApiVersion(where);
  const entries = document.entries ?? {};
  if (!isJsonObject(entries)) throw invalid(where, 'its entries are not a mapping');
  return {
    chartNames: Object.keys(entries),
    versionsOf: (chart) => (Object.hasOwn(entries, chart) ? versionsIn(entries[chart], where) : undefined),
  };
}

function readInSections(text: string, where: string): RepositoryIndex | undefined {
  const sections = findSections(text);
  if (sections === undefined) return undefined;
  if (!/^apiVersion:[ \t]*[^\s#]/m.test(text)) throw withoutApiVersion(where);
  return {
    chartNames: [...sections.keys()],
    versionsOf(chart) {
      const section = sections.get(chart);
      if (section === undefined) return undefined;
      const entries = parseYaml(text.slice(section.start, section.end), where, 'in the entries of the chart, ');
      return versionsIn(isJsonObject(entries) ? entries[chart] : undefined, where);
    },
  };
}

function withoutApiVersion(where: string): SourceError {
  return invalid(where, 'no API version specified');
}

function versionsIn(entries: unknown, where: string): IndexedVersion[] {
  if (entries === null || entries === undefined) return [];
  if (!Array.isArray(entries)) throw invalid(where, 'the entries of the chart are not a list');
  return entries.map(readEntry).filter((entry) => entry !== undefined);
}

/** Range of each chart's entries in the text of an index. */
type IndexSections = ReadonlyMap<string, { readonly start: number; readonly end: number }>;

/**
 * Finds the charts in an index by indentation, without parsing the YAML: to parse tens of megabytes
 * takes seconds and hundreds of megabytes of memory, and only a few entries are needed. Returns
 * undefined if the text does not have the layout of `helm repo index`; it has to be parsed as a
 * whole then.
 */
export function findSections(text: string): IndexSections | undefined {
  const heading = /^entries:[ \t]*$/m.exec(text);
  if (heading === null) return undefined;
  const from = heading.index + heading[0].length;
  const indent = /^( +)[^\s#]/m.exec(text.slice(from, from + 10_000))?.[1]?.length;
  if (indent === undefined) return undefined;

  const sections = new Map<string, { start: number; end: number }>();
  let last: { start: number; end: number } | undefined;
  const lines = new RegExp(`^( {0,${indent}})([^\\s#].*)$`, 'gm');
  lines.lastIndex = from;
  for (const match of text.matchAll(lines)) {
    const [, spaces = '', line = ''] = match;
    if (spaces === '' && /^(?:[A-Za-z]+:|---|\.\.\.)/.test(line)) {
      if (last) last.end = match.index;
      return sections;
    }
    if (spaces.length !== indent) return undefined;
    if (/^-(?: |$)/.test(line)) continue;
    const key = /^(?:([\w./-]+)|"([^"\\]+)"|'([^']+)'):(?: \[\])?[ \t]*$/.exec(line);
    const name = key?.[1] ?? key?.[2] ?? key?.[3];
    if (name === undefined || sections.has(name)) return undefined;
    if (last) last.end = match.index;
    last = { start: match.index, end: text.length };
    sections.set(name, last);
  }
  return sections;
}
