import { isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { Topology, TopologyOf } from './list-keys.ts';

/**
 * The fields that a manager owns, in the API's format (FieldsV1): `f:` is a field, `k:` a list
 * element by its keys, `v:` a value of a set, `.` the parent itself. A path that ends in an empty
 * set is a leaf.
 */
export interface FieldSet {
  [step: string]: FieldSet | undefined;
}

/** Returns all fields of a configuration except those that identify the object. */
export function fieldsOf(object: JsonObject, topologyOf: TopologyOf): FieldSet {
  const metadata = without(isJsonObject(object['metadata']) ? object['metadata'] : {}, [
    'name',
    'namespace',
    'managedFields',
  ]);
  const inMetadata = fieldsOfMap(metadata, ['metadata'], topologyOf);
  const set = fieldsOfMap(without(object, ['apiVersion', 'kind', 'metadata']), [], topologyOf);
  return Object.keys(inMetadata).length > 0 ? { 'f:metadata': inMetadata, ...set } : set;
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

function fieldsOfMap(map: JsonObject, path: readonly string[], topologyOf: TopologyOf): FieldSet {
  const set: FieldSet = {};
  for (const [field, value] of Object.entries(map))
    set[`f:${field}`] = fieldsOfValue(value, [...path, field], topologyOf);
  return set;
}

function fieldsOfValue(value: unknown, path: readonly string[], topologyOf: TopologyOf): FieldSet {
  const topology = topologyOf(path);
  if (topology === 'atomic') return {};
  if (isJsonObject(value)) return fieldsOfMap(value, path, topologyOf);
  if (!Array.isArray(value) || topology === 'granular') return {};
  const set: FieldSet = {};
  for (const element of value as unknown[]) {
    const step = elementStep(element, topology);
    set[step] = isJsonObject(element) ? { '.': {}, ...fieldsOfMap(element, path, topologyOf) } : {};
  }
  return set;
}

/** Returns the step for a list element, such as `k:{"name":"web"}` or `v:"a"`. */
export function elementStep(element: unknown, topology: Exclude<Topology, 'atomic' | 'granular'>): string {
  if (topology === 'set' || !isJsonObject(element)) return `v:${JSON.stringify(element)}`;
  const keys = [...topology.keys].sort().map((key) => [key, element[key] ?? defaultOfKey(key)]);
  return `k:${JSON.stringify(Object.fromEntries(keys.filter(([, value]) => value !== undefined)))}`;
}

/** Returns the default of a merge key. Only `protocol` has one. */
function defaultOfKey(key: string): unknown {
  return key === 'protocol' ? 'TCP' : undefined;
}

/**
 * Returns the leaves of a set as paths of steps. An element that is owned as a whole ends with `.`.
 */
export function leavesOf(set: FieldSet, path: readonly string[] = []): string[][] {
  return Object.entries(set).flatMap(([step, below = {}]) =>
    Object.keys(below).length === 0 ? [[...path, step]] : leavesOf(below, [...path, step]),
  );
}

/** Whether a step names this list element. */
export function elementMatches(element: unknown, step: string): boolean {
  if (step.startsWith('v:')) return JSON.stringify(element) === step.slice(2);
  const keys = JSON.parse(step.slice(2)) as JsonObject; // made by elementStep
  return (
    isJsonObject(element) && Object.entries(keys).every(([key, value]) => (element[key] ?? defaultOfKey(key)) === value)
  );
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const step of path) {
    at = Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return false;
  }
  return true;
}
