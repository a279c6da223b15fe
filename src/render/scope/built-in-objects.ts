import type { Chart, ChartFile } from '../../chart/chart.ts';
import { viewAs } from '../../go/map-view.ts';
import { quote } from '../../go/strconv.ts';
import { fromBytes, sortedKeys } from '../../go/text.ts';
import { GoError, type GoFunction, GoObject, NamedMap, Slice, type Value, type ValueMap } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';
import { compileGlob } from './glob.ts';
import { baseName } from './template-path.ts';

/**
 * Returns the value of `.Files`: Helm's `engine.files`, a map of bytes by path with methods
 * (pkg/engine/files.go).
 */
export function filesObject(files: readonly ChartFile[]): GoObject {
  return new FilesObject(new Map(files.map(({ name, data }) => [name, data])));
}

class FilesObject extends GoObject {
  readonly goType = 'engine.files';
  readonly kind = 'map';
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    super();
    this.#files = files;
  }

  override contents(): ReadonlyMap<string, Value> {
    return this.#files;
  }

  override elementType(): string {
    return '[]uint8';
  }

  override method(name: string): GoFunction | undefined {
    switch (name) {
      case 'Get':
        return { params: ['string'], call: (file: string) => fromBytes(this.#bytes(file)) };
      case 'GetBytes':
        return { params: ['string'], call: (file: string) => this.#bytes(file) };
      case 'Glob':
        return { params: ['string'], call: (pattern: string) => this.#glob(pattern) };
      case 'AsConfig':
        return { params: [], call: () => this.#byBaseName(fromBytes) };
      case 'AsSecrets':
        return { params: [], call: () => this.#byBaseName((data) => Buffer.from(data).toString('base64')) };
      case 'Lines':
        return { params: ['string'], call: (file: string) => this.#lines(file) };
      default:
        return undefined;
    }
  }

  #bytes(name: string): Uint8Array {
    return this.#files.get(name) ?? new Uint8Array();
  }

  #glob(pattern: string): GoObject {
    const matches = compileGlob(pattern);
    return new FilesObject(new Map([...this.#files].filter(([name]) => matches(name))));
  }

  #byBaseName(text: (data: Uint8Array) => string): string {
    const entries = sortedKeys(this.#files).map((name): [string, Value] => [baseName(name), text(this.#bytes(name))]);
    return writeYaml(new Map(entries)).replace(/\n$/, '');
  }

  #lines(name: string): Slice {
    const data = this.#files.get(name);
    if (data === undefined) return new Slice('string', []);
    const text = fromBytes(data);
    if (text === '') throw new GoError('runtime error: index out of range [-1]');
    return new Slice('string', text.replace(/\n$/, '').split('\n'));
  }
}

/**
 * Returns a view of a map as Helm's `common.Values`, with its methods (pkg/chart/common/values.go).
 */
export function valuesObject(map: ValueMap): ValueMap {
  return viewAs('common.Values', map, method);
}

function method(name: string, map: ValueMap): GoFunction | undefined {
  switch (name) {
    case 'AsMap':
      return { params: [], call: () => map };
    case 'YAML':
      return { params: [], call: () => writeYaml(map) };
    case 'Table':
      return { params: ['string'], call: (path: string) => valuesObject(tableAt(map, path.split('.'))) };
    case 'PathValue':
      return { params: ['string'], call: (path: string) => valueAt(map, path) };
    default:
      return undefined;
  }
}

function tableAt(map: ValueMap, path: readonly string[]): ValueMap {
  return path.reduce((table, key) => {
    const next = table.get(key);
    // maps of values can be written to: see ADR 0001
    if (next instanceof Map) return next as ValueMap;
    throw new GoError(`${quote(key)} is not a table`);
  }, map);
}

function valueAt(map: ValueMap, path: string): Value {
  if (path === '') throw new GoError('YAML path cannot be empty');
  const keys = path.split('.');
  const key = keys.pop() ?? '';
  let value: Value | undefined;
  try {
    value = tableAt(map, keys).get(key);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
  }
  if (value === undefined || value instanceof Map) throw new GoError(`${quote(key)} is not a value`);
  return value;
}

type Metadata = Chart['metadata'];

type Dependency = NonNullable<Metadata['dependencies']>[number];

/**
 * Returns the value of `.Chart` as in Helm 4: a map with the names of Go's struct fields, every
 * field present, slices as lists of any (pkg/chart/common.go: structToMap).
 */
export function chartObject(chart: Chart, isRoot: boolean): ValueMap {
  const metadata = chart.metadata;
  return new Map<string, Value>([
    ['Name', metadata.name],
    ['Home', metadata.home ?? ''],
    ['Sources', [...(metadata.sources ?? [])]],
    ['Version', metadata.version],
    ['Description', metadata.description ?? ''],
    ['Keywords', [...(metadata.keywords ?? [])]],
    ['Maintainers', (metadata.maintainers ?? []).map(maintainerObject)],
    ['Icon', metadata.icon ?? ''],
    ['APIVersion', metadata.apiVersion],
    ['Condition', metadata.condition ?? ''],
    ['Tags', metadata.tags ?? ''],
    ['AppVersion', metadata.appVersion ?? ''],
    ['Deprecated', metadata.deprecated ?? false],
    [
      'Annotations',
      new NamedMap('map[string]string', metadata.annotations ? Object.entries(metadata.annotations) : null),
    ],
    ['KubeVersion', metadata.kubeVersion ?? ''],
    ['Dependencies', (metadata.dependencies ?? []).map(dependencyObject)],
    ['Type', metadata.type ?? ''],
    ['IsRoot', isRoot],
  ]);
}

function maintainerObject(maintainer: NonNullable<Metadata['maintainers']>[number]): ValueMap {
  return new Map<string, Value>([
    ['Name', maintainer.name ?? ''],
    ['Email', maintainer.email ?? ''],
    ['URL', maintainer.url ?? ''],
  ]);
}

function dependencyObject(dependency: Dependency): ValueMap {
  return new Map<string, Value>([
    ['Name', dependency.name],
    ['Version', dependency.version ?? ''],
    ['Repository', dependency.repository],
    ['Condition', dependency.condition ?? ''],
    ['Tags', [...(dependency.tags ?? [])]],
    ['Enabled', dependency.enabled ?? false],
    ['ImportValues', [...(dependency.importValues ?? [])]],
    ['Alias', dependency.alias ?? ''],
  ]);
}
