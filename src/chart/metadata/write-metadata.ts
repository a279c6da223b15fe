import { encodeJson } from '../../go/json-encode.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { writeYaml } from '../../yaml/write.ts';
import type { ChartDependency, ChartMetadata, Maintainer } from './metadata.ts';

/** The fields of one of Helm's structs in their order, without those that `omitempty` omits. */
type Fields = readonly (readonly [name: string, value: Value | Structs])[];

/** A list of structs. */
interface Structs {
  readonly structs: readonly Fields[];
}

/**
 * Returns the metadata of a chart, with the dependencies of its requirements.yaml, as Helm writes
 * it in YAML: keys sorted, empty fields left out.
 */
export function chartYaml(metadata: ChartMetadata): string {
  return writeYaml(metadataMap(metadata));
}

/** Returns the metadata of a chart as Helm writes it in YAML, for a larger document. */
export function metadataMap(metadata: ChartMetadata): ValueMap {
  return mapOf(metadataFields(metadata));
}

/** Returns the metadata of a chart as Helm writes it in JSON: fields in the order of the struct. */
export function metadataJson(metadata: ChartMetadata): string {
  return jsonOf(metadataFields(metadata));
}

export function dependencyMap(dependency: ChartDependency): ValueMap {
  return mapOf(dependencyFields(dependency));
}

/** Returns a dependency as Helm writes it in JSON: the fields in the order of the struct. */
export function dependencyJson(dependency: ChartDependency): string {
  return jsonOf(dependencyFields(dependency));
}

function metadataFields(metadata: ChartMetadata): Fields {
  const { maintainers = [], dependencies = [], annotations = {} } = metadata;
  return [
    ...filled([
      ['name', metadata.name],
      ['home', metadata.home],
      ['sources', metadata.sources],
      ['version', metadata.version],
      ['description', metadata.description],
      ['keywords', metadata.keywords],
    ]),
    ...structs('maintainers', maintainers.map(maintainerFields)),
    ...filled([
      ['icon', metadata.icon],
      ['apiVersion', metadata.apiVersion],
      ['condition', metadata.condition],
      ['tags', metadata.tags],
      ['appVersion', metadata.appVersion],
      ['deprecated', metadata.deprecated],
      ['annotations', new Map(Object.entries(annotations))],
      ['kubeVersion', metadata.kubeVersion],
    ]),
    ...structs('dependencies', dependencies.map(dependencyFields)),
    ...filled([['type', metadata.type]]),
  ];
}

function maintainerFields({ name, email, url }: Maintainer): Fields {
  return filled([
    ['name', name],
    ['email', email],
    ['url', url],
  ]);
}

function dependencyFields(dependency: ChartDependency): Fields {
  return [
    ['name', dependency.name],
    ...filled([['version', dependency.version]]),
    ['repository', dependency.repository],
    ...filled([
      ['condition', dependency.condition],
      ['tags', dependency.tags],
      ['enabled', dependency.enabled],
      ['import-values', dependency.importValues],
      ['alias', dependency.alias],
    ]),
  ];
}

/** Leaves out the fields that Go's `omitempty` omits. */
function filled(fields: readonly (readonly [string, Value | undefined])[]): (readonly [string, Value])[] {
  return fields.filter((field): field is readonly [string, Value] => field[1] !== undefined && isFilled(field[1]));
}

function isFilled(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return value !== '' && value !== false;
}

function structs(name: string, list: readonly Fields[]): Fields {
  return list.length === 0 ? [] : [[name, { structs: list }]];
}

function isStructs(value: Value | Structs): value is Structs {
  return typeof value === 'object' && value !== null && 'structs' in value;
}

function mapOf(fields: Fields): ValueMap {
  return new Map(fields.map(([name, value]) => [name, isStructs(value) ? value.structs.map(mapOf) : value]));
}

function jsonOf(fields: Fields): string {
  const texts = fields.map(([name, value]) => {
    const text = isStructs(value) ? `[${value.structs.map(jsonOf).join()}]` : encodeJson(value, { escapeHtml: true });
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${texts.join()}}`;
}
