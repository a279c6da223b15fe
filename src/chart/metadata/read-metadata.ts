import type { Value } from '../../go/value.ts';
import {
  decodeYamlTree,
  goAny,
  goBool,
  type GoFields,
  goNilable,
  goPointer,
  goSlice,
  goString,
  goStringMap,
  goStruct,
} from '../../yaml/decode-struct.ts';
import { goTime } from '../../yaml/decode-time.ts';
import { readTypedYaml } from '../../yaml/read.ts';

type List<T> = readonly T[] | undefined;

/** A maintainer before validation. */
export interface RawMaintainer {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

/** A dependency before validation. */
export interface RawDependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition: string;
  readonly tags: List<string>;
  readonly enabled: boolean;
  readonly 'import-values': List<Value>;
  readonly alias: string;
}

/** Chart.yaml or requirements.yaml before validation. */
export interface RawMetadata {
  readonly name: string;
  readonly home: string;
  readonly sources: List<string>;
  readonly version: string;
  readonly description: string;
  readonly keywords: List<string>;
  readonly maintainers: List<RawMaintainer | null>;
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: ReadonlyMap<string, string> | undefined;
  readonly kubeVersion: string;
  readonly dependencies: List<RawDependency | null>;
  readonly type: string;
}

interface RawLock {
  /** Time in Go's JSON form. */
  readonly generated: string;
  readonly digest: string;
  readonly dependencies: List<RawDependency | null>;
}

const strings = goNilable(goSlice(goString));

const maintainer = goStruct<RawMaintainer>('v2.Maintainer', { name: goString, email: goString, url: goString });

const dependency = goStruct<RawDependency>('v2.Dependency', {
  name: goString,
  version: goString,
  repository: goString,
  condition: goString,
  tags: strings,
  enabled: goBool,
  'import-values': goNilable(goSlice(goAny)),
  alias: goString,
});

const dependencies = goNilable(goSlice(goPointer(dependency)));

/** Types of the fields of Go's `v2.Metadata`. */
export const metadataFields: GoFields<RawMetadata> = {
  name: goString,
  home: goString,
  sources: strings,
  version: goString,
  description: goString,
  keywords: strings,
  maintainers: goNilable(goSlice(goPointer(maintainer))),
  icon: goString,
  apiVersion: goString,
  condition: goString,
  tags: goString,
  appVersion: goString,
  deprecated: goBool,
  annotations: goNilable(goStringMap),
  kubeVersion: goString,
  dependencies,
  type: goString,
};

const metadata = goStruct('v2.Metadata', metadataFields);

const chartBase = goStruct<{ apiVersion: string }>('loader.chartBase', { apiVersion: goString });

const lock = goStruct<RawLock>('v2.Lock', { generated: goTime, digest: goString, dependencies });

/**
 * Reads Chart.yaml or requirements.yaml with the conversions of Go's JSON decoder, into `current`
 * if it is given. Throws `YamlError`.
 */
export function readMetadata(yaml: string, current?: RawMetadata): RawMetadata {
  return decodeYamlTree(readTypedYaml(yaml), metadata, { current });
}

/** Returns the apiVersion of a Chart.yaml; empty if it has none. Throws `YamlError`. */
export function readApiVersion(yaml: string): string {
  return decodeYamlTree(readTypedYaml(yaml), chartBase).apiVersion;
}

/** Reads Chart.lock or requirements.lock. Throws `YamlError`. */
export function readLock(yaml: string): RawLock | undefined {
  const tree = readTypedYaml(yaml);
  return tree === null ? undefined : decodeYamlTree(tree, lock);
}
