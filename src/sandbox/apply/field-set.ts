import { isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { ResourceType } from '../store/resource-type.ts';
import type { Topology, TopologyOf } from './list-keys.ts';

/**
 * The fields that a manager owns, in the API's format (FieldsV1): `f:` is a field, `k:` a list
 * element by its keys, `v:` a value of a set, `.` the parent itself. A path that ends in an empty
 * set is a leaf.
 */
export interface FieldSet {
  [step: string]: FieldSet | undefined;
}

/** Fields of metadata that no manager owns. */
const systemFields: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
]);

export interface FieldSetOptions {
  /**
   * The kind, for the fields of an update instead of an apply. Maps with any keys then count as
   * fields themselves, and a subresource has fields of its own.
   */
  ofUpdate?: ResourceType;
  subresource?: string | undefined;
}

/** Returns all fields of a configuration except those that identify the object. */
export function fieldsOf(
  object: JsonObject,
  topologyOf: TopologyOf,
  { ofUpdate, subresource }: FieldSetOptions = {},
): FieldSet {
  const isOfMap = ofUpdate === undefined ? () => false : (path: readonly string[]) => isOpenMap(ofUpdate, path);
  const metadata = fieldsWhere(asMap(object['metadata']), (field) => !systemFields.has(field));
  const inMetadata = fieldsOfMap(metadata, ['metadata'], topologyOf, isOfMap);
  const hidesStatus = ofUpdate?.subresources.includes('status') === true;
  const content = fieldsWhere(object, (field) => {
    if (['apiVersion', 'kind', 'metadata'].includes(field)) return false;
    if (ofUpdate === undefined) return true;
    return subresource === 'status' ? field === 'status' : !(hidesStatus && field === 'status');
  });
  const set = fieldsOfMap(content, [], topologyOf, isOfMap);
  const withMetadata = Object.keys(inMetadata).length > 0 && subresource !== 'status';
  return withMetadata ? { 'f:metadata': inMetadata, ...set } : set;
}

/** Names of maps with any keys in built-in kinds. */
const openMaps: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'data',
  'binaryData',
  'stringData',
  'matchLabels',
  'limits',
  'requests',
  'parameters',
]);

/** Whether a map may have any keys, so that a manager owns the map besides its entries. */
function isOpenMap(type: ResourceType, path: readonly string[]): boolean {
  if (path.length <= 1 && path[0] !== 'data' && path[0] !== 'binaryData' && path[0] !== 'stringData') return false;
  return (type.custom && path[0] !== 'metadata') || openMaps.has(path.at(-1) ?? '');
}

function asMap(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function fieldsWhere(object: JsonObject, isWanted: (field: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => isWanted(field)));
}

type IsOpenMap = (path: readonly string[]) => boolean;

function fieldsOfMap(map: JsonObject, path: readonly string[], topologyOf: TopologyOf, isOfMap: IsOpenMap): FieldSet {
  const set: FieldSet = isOfMap(path) && Object.keys(map).length > 0 ? { '.': {} } : {};
  for (const [field, value] of Object.entries(map))
    set[`f:${field}`] = fieldsOfValue(value, [...path, field], topologyOf, isOfMap);
  return set;
}

function fieldsOfValue(value: unknown, path: readonly string[], topologyOf: TopologyOf, isOfMap: IsOpenMap): FieldSet {
  const topology = topologyOf(path);
  if (topology === 'atomic') return {};
  if (isJsonObject(value)) return fieldsOfMap(value, path, topologyOf, isOfMap);
  if (!Array.isArray(value) || topology === 'granular') return {};
  const set: FieldSet = {};
  for (const element of value as unknown[]) {
    const step = elementStep(element, topology);
    set[step] = isJsonObject(element) ? { '.': {}, ...fieldsOfMap(element, path, topologyOf, isOfMap) } : {};
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

/** Returns a function that says whether a step names a list element. */
export function elementMatcher(step: string): (element: unknown) => boolean {
  const text = step.slice(2);
  if (step.startsWith('v:')) return (element) => JSON.stringify(element) === text;
  const keys = Object.entries(keysOf(step));
  return (element) =>
    isJsonObject(element) && keys.every(([key, value]) => (element[key] ?? defaultOfKey(key)) === value);
}

/** Returns the keys in a step of a list that merges by them. */
function keysOf(step: string): JsonObject {
  return JSON.parse(step.slice(2)) as JsonObject; // made by elementStep
}

/** Returns a function that finds values in an object by their paths of steps, each one fast. */
export function valueFinder(object: unknown): (steps: readonly string[]) => unknown {
  const indexes = new Map<unknown, Map<string, Map<string, unknown>>>();

  function elementAt(list: readonly unknown[], step: string): unknown {
    const keys = step.startsWith('v:') ? [] : Object.keys(keysOf(step));
    const ofList = indexes.get(list) ?? new Map<string, Map<string, unknown>>();
    indexes.set(list, ofList);
    const id = JSON.stringify(keys);
    const index = ofList.get(id) ?? indexOf(list, keys);
    ofList.set(id, index);
    return index.get(step);
  }

  return (steps) => {
    let at = object;
    for (const step of steps) {
      if (step === '.') continue;
      if (step.startsWith('f:')) at = isJsonObject(at) ? at[step.slice(2)] : undefined;
      else at = Array.isArray(at) ? elementAt(at, step) : undefined;
    }
    return at;
  };
}

function indexOf(list: readonly unknown[], keys: readonly string[]): Map<string, unknown> {
  const index = new Map<string, unknown>();
  for (const element of list) {
    const step = elementStep(element, keys.length === 0 ? 'set' : { keys });
    if (!index.has(step)) index.set(step, element);
  }
  return index;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const step of path) {
    at = Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return false;
  }
  return true;
}
