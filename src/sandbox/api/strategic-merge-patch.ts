import { isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { TopologyOf } from '../apply/list-keys.ts';

/** Directives of a patch, before the name of a list. */
const orderPrefix = '$setElementOrder/';
const deletionPrefix = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch). The merge key of a
 * list is the first of its keys. Returns a new object.
 */
export function strategicMergePatch(
  target: JsonObject,
  patch: JsonObject,
  topologyOf: TopologyOf,
  path: readonly string[] = [],
): JsonObject {
  const { $patch: directive, $retainKeys: retained, ...fields } = patch;
  if (directive === 'delete') return {};
  if (directive === 'replace') return fields;
  const isRetained = (field: string) => !Array.isArray(retained) || retained.includes(field);
  const merged = new Map(Object.entries(target).filter(([field]) => isRetained(field)));
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith(orderPrefix)) continue;
    if (field.startsWith(deletionPrefix)) {
      const list = field.slice(deletionPrefix.length);
      const gone = new Set(asList(value));
      merged.set(
        list,
        asList(merged.get(list)).filter((item) => !gone.has(item)),
      );
    } else if (value === null) merged.delete(field);
    else merged.set(field, mergeValue(merged.get(field), value, topologyOf, [...path, field]));
  }
  for (const [field, order] of Object.entries(fields)) {
    if (!field.startsWith(orderPrefix)) continue;
    const list = field.slice(orderPrefix.length);
    const key = mergeKeyOf(topologyOf, [...path, list]);
    if (merged.has(list)) merged.set(list, inOrder(asList(merged.get(list)), asList(order), key));
  }
  return Object.fromEntries(merged);
}

function mergeValue(target: unknown, value: unknown, topologyOf: TopologyOf, path: readonly string[]): unknown {
  if (isJsonObject(value)) return strategicMergePatch(isJsonObject(target) ? target : {}, value, topologyOf, path);
  if (!Array.isArray(value)) return value;
  const key = mergeKeyOf(topologyOf, path);
  if (key !== undefined) return mergeElements(asList(target), value, key, topologyOf, path);
  return topologyOf(path) === 'set' ? [...new Set([...asList(target), ...(value as unknown[])])] : value;
}

function mergeElements(
  target: readonly unknown[],
  patch: readonly unknown[],
  key: string,
  topologyOf: TopologyOf,
  path: readonly string[],
): unknown[] {
  const elements = patch.filter(isJsonObject);
  const isReplaced = elements.some(({ $patch }) => $patch === 'replace');
  const deleted = elements.filter(({ $patch }) => $patch === 'delete').map((element) => element[key]);
  const merged = isReplaced ? [] : target.filter((item) => isJsonObject(item) && !deleted.includes(item[key]));
  for (const element of elements.filter(({ $patch }) => $patch === undefined)) {
    const index = isReplaced ? -1 : merged.findIndex((item) => isJsonObject(item) && item[key] === element[key]);
    const found = merged[index];
    const value = strategicMergePatch(isJsonObject(found) ? found : {}, element, topologyOf, path);
    if (index < 0) merged.push(value);
    else merged[index] = value;
  }
  return merged;
}

/** Puts the ordered elements into their order, and leaves all others where they are. */
function inOrder(list: readonly unknown[], order: readonly unknown[], key: string | undefined): unknown[] {
  const idOf = (item: unknown) => JSON.stringify(key !== undefined && isJsonObject(item) ? item[key] : item);
  const rank = new Map(order.map((item, index) => [idOf(item), index]));
  const ordered = list
    .filter((item) => rank.has(idOf(item)))
    .sort((a, b) => (rank.get(idOf(a)) ?? 0) - (rank.get(idOf(b)) ?? 0));
  return list.map((item) => (rank.has(idOf(item)) ? ordered.shift() : item));
}

function mergeKeyOf(topologyOf: TopologyOf, path: readonly string[]): string | undefined {
  const topology = topologyOf(path);
  return typeof topology === 'object' ? topology.keys[0] : undefined;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
