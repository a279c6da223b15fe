import { ChartError } from '../../chart/chart-error.ts';
import { metadataFields, type RawMetadata } from '../../chart/metadata/read-metadata.ts';
import { validateMetadata } from '../../chart/metadata/validate-metadata.ts';
import type { Value } from '../../go/value.ts';
import {
  decodeJsonTree,
  decodeYamlTree,
  goAny,
  goBool,
  goMap,
  goNilable,
  goPointer,
  goSlice,
  goString,
  goStringMap,
  goStruct,
} from '../../yaml/decode-struct.ts';
import { goTime } from '../../yaml/decode-time.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import type { IndexDocumentEntry } from './index-document.ts';

/** An entry before validation. */
interface RawEntry extends RawMetadata {
  readonly urls: readonly string[] | undefined;
  readonly created: string;
  readonly removed: boolean;
  readonly digest: string;
  readonly checksum: string;
  readonly engine: string;
  readonly tillerVersion: string;
  readonly url: string;
}

type Entries = readonly (RawEntry | null)[];

interface RawIndex {
  readonly serverInfo: ReadonlyMap<string, Value>;
  readonly apiVersion: string;
  readonly generated: string;
  readonly entries: ReadonlyMap<string, Entries>;
  readonly publicKeys: readonly string[];
  readonly annotations: ReadonlyMap<string, string>;
}

const chartVersion = goStruct<RawEntry>('repo.ChartVersion', {
  ...metadataFields,
  urls: goNilable(goSlice(goString)),
  created: goTime,
  removed: goBool,
  digest: goString,
  checksum: goString,
  engine: goString,
  tillerVersion: goString,
  url: goString,
});

const indexFile = goStruct<RawIndex>('repo.IndexFile', {
  serverInfo: goMap(goAny),
  apiVersion: goString,
  generated: goTime,
  entries: goMap(goSlice(goPointer(chartVersion), 'repo.ChartVersions')),
  publicKeys: goSlice(goString),
  annotations: goStringMap,
});

/** Receives why an entry is left out. The version is undefined if there is nothing but null. */
type Skip = (chart: string, version: string | undefined, reason: string) => void;

/**
 * Reads an index with all that Helm writes again (pkg/repo/v1/index.go: loadIndex). Entries that
 * are not valid are left out, after `skip` was called with the reason. Throws an error with Helm's
 * text, a `YamlError` for a document of another form.
 */
export function readIndexDocument(text: string, skip: Skip): IndexDocumentEntry[] {
  if (text === '') throw new Error('empty index.yaml file');
  const tree = readTypedYaml(text);
  const { apiVersion, entries } = isJson(text)
    ? decodeJsonTree(tree, indexFile)
    : decodeYamlTree(tree, indexFile, { isStrict: true });
  const read = [...entries].flatMap(([chart, versions]) => readEntries(chart, versions, skip));
  if (apiVersion === '') throw new Error('no API version specified');
  return read;
}

/** Goes from the last entry to the first one, as Helm does. */
function readEntries(chart: string, versions: Entries, skip: Skip): IndexDocumentEntry[] {
  const read: IndexDocumentEntry[] = [];
  for (const raw of versions.toReversed()) {
    try {
      if (raw === null) skip(chart, undefined, 'empty entry');
      else read.push(entryOf(raw));
    } catch (error) {
      if (!(error instanceof ChartError)) throw error;
      skip(chart, raw?.version, error.message);
    }
  }
  return read.reverse();
}

function entryOf({ urls, created, removed, digest, checksum, engine, tillerVersion, url, ...raw }: RawEntry) {
  return {
    metadata: validateMetadata({ ...raw, apiVersion: raw.apiVersion || 'v1' }),
    ...{ urls: urls ?? null, created, removed, digest },
    old: { checksum, engine, tillerVersion, url },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // then it is YAML
  }
}
