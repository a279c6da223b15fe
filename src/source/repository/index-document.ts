import { ChartError } from '../../chart/chart-error.ts';
import type { ChartMetadata } from '../../chart/metadata/metadata.ts';
import { decodeMetadata } from '../../chart/metadata/read-metadata.ts';
import { validateMetadata } from '../../chart/metadata/validate-metadata.ts';
import { metadataMap } from '../../chart/metadata/write-metadata.ts';
import { compareVersions, parseVersion } from '../../go/semver.ts';
import { compareStrings } from '../../go/text.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { TypedScalar, type YamlTree } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { writeYaml } from '../../yaml/write.ts';

/** A chart's version in an index that is written. */
export interface IndexDocumentEntry {
  readonly metadata: ChartMetadata;
  readonly urls: readonly string[];
  /** Time in Go's JSON form. */
  readonly created: string;
  /** SHA-256 of the archive, in hex; may be empty. */
  readonly digest: string;
  readonly removed?: boolean;
}

/** The whole index of a repository. */
export interface IndexDocument {
  /** Time in Go's JSON form. */
  readonly generated: string;
  readonly entries: readonly IndexDocumentEntry[];
}

/**
 * Reads an index with all that Helm writes again. Entries that are not valid are left out, after
 * `skip` was called with the reason. Throws `YamlError`.
 */
export function readIndexDocument(
  text: string,
  skip: (chart: string, version: string, reason: string) => void,
): IndexDocumentEntry[] {
  const charts = field(readTypedYaml(text), 'entries');
  if (!(charts instanceof Map)) return [];
  return [...charts].flatMap(([chart, versions]) =>
    (Array.isArray(versions) ? versions : []).flatMap((tree) => {
      try {
        return [readEntry(tree)];
      } catch (error) {
        if (!(error instanceof ChartError)) throw error;
        skip(chart, textOf(field(tree, 'version')), error.message);
        return [];
      }
    }),
  );
}

function readEntry(tree: YamlTree): IndexDocumentEntry {
  const raw = decodeMetadata(tree);
  const urls = field(tree, 'urls');
  const removed = field(tree, 'removed');
  return {
    metadata: validateMetadata({ ...raw, apiVersion: raw.apiVersion || 'v1' }),
    urls: Array.isArray(urls) ? urls.map(textOf) : [],
    created: textOf(field(tree, 'created')) || '0001-01-01T00:00:00Z',
    digest: textOf(field(tree, 'digest')),
    removed: removed instanceof TypedScalar && removed.value === true,
  };
}

function field(tree: YamlTree | undefined, name: string): YamlTree | undefined {
  return tree instanceof Map ? tree.get(name) : undefined;
}

function textOf(tree: YamlTree | undefined): string {
  if (tree instanceof TypedScalar) return tree.text;
  return typeof tree === 'string' ? tree : '';
}

/** Adds the entries of another index that the first one does not have, by name and version. */
export function mergeEntries(
  entries: readonly IndexDocumentEntry[],
  others: readonly IndexDocumentEntry[],
): IndexDocumentEntry[] {
  const key = ({ metadata: { name, version } }: IndexDocumentEntry) => `${name}\0${version}`;
  const known = new Set(entries.map(key));
  return [...entries, ...others.filter((entry) => !known.has(key(entry)))];
}

/** Returns an index in YAML as `helm repo index` writes it: the newest version of a chart first. */
export function indexYaml(index: IndexDocument): string {
  return writeYaml(indexMap(index));
}

/** Returns an index in JSON as `helm repo index --json` writes it. */
export function indexJson(index: IndexDocument): string {
  return JSON.stringify(plain(indexMap(index)), null, 2).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function indexMap({ generated, entries }: IndexDocument): ValueMap {
  const charts = Map.groupBy(entries, ({ metadata }) => metadata.name);
  const sorted = [...charts].toSorted(([a], [b]) => compareStrings(a, b));
  return new Map<string, Value>([
    ['apiVersion', 'v1'],
    ['generated', generated],
    ['entries', new Map(sorted.map(([name, versions]) => [name, newestFirst(versions).map(entryMap)]))],
  ]);
}

function newestFirst(entries: readonly IndexDocumentEntry[]): IndexDocumentEntry[] {
  const parsed = entries.map((entry) => ({ entry, version: parseVersion(entry.metadata.version) }));
  return parsed.toSorted((a, b) => compareVersions(b.version, a.version)).map(({ entry }) => entry);
}

/** The fields are in the order of Go's struct, which JSON keeps. */
function entryMap({ metadata, urls, created, digest, removed = false }: IndexDocumentEntry): ValueMap {
  return new Map<string, Value>([
    ...metadataMap(metadata),
    ['urls', [...urls]],
    ['created', created],
    ...(removed ? [['removed', true] as const] : []),
    ...(digest === '' ? [] : [['digest', digest] as const]),
  ]);
}

function plain(value: Value): unknown {
  if (value instanceof Map) {
    const map: ReadonlyMap<string, Value> = value;
    return Object.fromEntries(Array.from(map, ([key, item]) => [key, plain(item)]));
  }
  return Array.isArray(value) ? (value as readonly Value[]).map(plain) : value;
}
