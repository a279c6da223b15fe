import type { ChartMetadata } from '../../chart/metadata/metadata.ts';
import { metadataMap } from '../../chart/metadata/write-metadata.ts';
import { compareVersions, parseVersion } from '../../go/semver.ts';
import { compareStrings } from '../../go/text.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';

/** A chart's version in an index that is written. */
export interface IndexDocumentEntry {
  readonly metadata: ChartMetadata;
  /** Null if an index that was read has none. */
  readonly urls: readonly string[] | null;
  /** Time in Go's JSON form. */
  readonly created: string;
  /** SHA-256 of the archive, in hex; may be empty. */
  readonly digest: string;
  readonly removed?: boolean;
  /** Fields of old indexes that Helm keeps: `checksum`, `engine`, `tillerVersion` and `url`. */
  readonly old?: Readonly<Record<string, string>>;
}

/** The whole index of a repository. */
export interface IndexDocument {
  /** Time in Go's JSON form. */
  readonly generated: string;
  readonly entries: readonly IndexDocumentEntry[];
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
function entryMap({ metadata, urls, created, digest, removed = false, old = {} }: IndexDocumentEntry): ValueMap {
  return new Map<string, Value>([
    ...metadataMap(metadata),
    ['urls', urls && [...urls]],
    ['created', created],
    ...(removed ? [['removed', true] as const] : []),
    ...(digest === '' ? [] : [['digest', digest] as const]),
    ...Object.entries(old).filter(([, text]) => text !== ''),
  ]);
}

function plain(value: Value): unknown {
  if (value instanceof Map) {
    const map: ReadonlyMap<string, Value> = value;
    return Object.fromEntries(Array.from(map, ([key, item]) => [key, plain(item)]));
  }
  return Array.isArray(value) ? (value as readonly Value[]).map(plain) : value;
}
