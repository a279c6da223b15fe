import { TypedScalar, type YamlTree } from '../yaml/compose.ts';
import { readTypedYaml } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { readEntry, type IndexedVersion } from './index-entry.ts';
import { findSections } from './index-sections.ts';
import { SourceError } from './source-error.ts';

/** The index of a repository. */
export interface RepositoryIndex {
  readonly chartCount: number;
  /** The valid versions of a chart in the order of the index; undefined where there is no such chart. May throw as {@link readIndex} does. */
  versionsOf(chart: string): IndexedVersion[] | undefined;
}

/**
 * Reads an index.yaml, JSON or YAML, as Helm does; entries that are no versions of a chart are left out. `where` is its
 * address for messages. Throws {@link SourceError} with `repository_invalid`.
 */
export function readIndex(text: string, where: string): RepositoryIndex {
  if (text.trim() === '') throw invalid(where, 'it is empty');
  if (/^\s*</.test(text)) throw invalid(where, 'it is an HTML or XML page');
  const json = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  if (json !== undefined) return indexOf(json, where);
  return readInSections(text, where) ?? indexOf(readText(text, where), where);
}

function invalid(where: string, reason: string, options?: { cause: unknown }): SourceError {
  return new SourceError(
    'repository_invalid',
    `what ${where} answers is no index of a chart repository: ${reason}; check the repository's URL`,
    options,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // YAML's flow style begins with a brace too
  }
}

/** `part` says, before the reason, what of the index the text is. */
function readText(text: string, where: string, part = ''): unknown {
  try {
    return plain(readTypedYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalid(where, part + error.message, { cause: error });
  }
}

/** An index's fields of interest are strings, and a number or boolean that Go decodes into a string becomes its text. */
function plain(tree: YamlTree): unknown {
  if (tree instanceof TypedScalar) return tree.text;
  if (Array.isArray(tree)) return tree.map(plain);
  if (tree instanceof Map) return Object.fromEntries([...tree].map(([key, value]) => [key, plain(value)]));
  return tree;
}

function indexOf(document: unknown, where: string): RepositoryIndex {
  if (!isObject(document)) throw invalid(where, 'it is no mapping');
  if (typeof document.apiVersion !== 'string' || document.apiVersion === '') throw withoutApiVersion(where);
  const entries = document.entries ?? {};
  if (!isObject(entries)) throw invalid(where, 'its entries are no mapping');
  return {
    chartCount: Object.keys(entries).length,
    versionsOf: (chart) => (Object.hasOwn(entries, chart) ? versionsIn(entries[chart], where) : undefined),
  };
}

function readInSections(text: string, where: string): RepositoryIndex | undefined {
  const sections = findSections(text);
  if (sections === undefined) return undefined;
  if (!/^apiVersion:[ \t]*[^\s#]/m.test(text)) throw withoutApiVersion(where);
  return {
    chartCount: sections.size,
    versionsOf(chart) {
      const section = sections.get(chart);
      if (section === undefined) return undefined;
      const entries = readText(text.slice(section.start, section.end), where, 'from the line of the chart on, ');
      return versionsIn(isObject(entries) ? entries[chart] : undefined, where);
    },
  };
}

function withoutApiVersion(where: string): SourceError {
  return invalid(where, 'no API version specified');
}

function versionsIn(entries: unknown, where: string): IndexedVersion[] {
  if (entries === null || entries === undefined) return [];
  if (!Array.isArray(entries)) throw invalid(where, 'the entries of the chart are no list');
  return entries.map(readEntry).filter((entry) => entry !== undefined);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
