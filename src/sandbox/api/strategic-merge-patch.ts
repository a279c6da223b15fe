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
  const deleted = new Set(elements.filter(({ $patch }) => $patch === 'delete').map((element) => element[key]));
  const merged = isReplaced ? [] : target.filter((item) => isJsonObject(item) && !deleted.has(item[key]));
  const places = new Map<unknown, number>();
  for (const [index, item] of merged.entries()) {
    if (isJsonObject(item) && !places.has(item[key])) places.set(item[key], index);
  }
  for (const element of elements.filter(({ $patch }) => $patch === undefined)) {
    const index = isReplaced ? undefined : places.get(element[key]);
    const found = index === undefined ? undefined : merged[index];
    const value = strategicMergePatch(isJsonObject(found) ? found : {}, element, topologyOf, path);
    if (index !== undefined) merged[index] = value;
    else {
      places.set(element[key], merged.length);
      merged.push(value);
    }
  }
  return merged;
}

/** Puts the ordered elements into their order, and leaves all others where they are. */
function inOrder(list: readonly unknown[], order: readonly unknown[], key: string | undefined): unknown[] {
  const idOf = (item: unknown) => JSON.stringify(key !== undefined && isJsonObject(item) ? item[key] : item);
  const rank = new Map(order.map((item, index) => [idOf(item), index]));
  const ranked = list.map((item) => ({ item, rank: rank.get(idOf(item)) ?? -1 })).filter((one) => one.rank >= 0);
  const ordered = ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
  const next = ordered.values();
  return list.map((item) => (rank.has(idOf(item)) ? next.next().value : item));
}

function mergeKeyOf(topologyOf: TopologyOf, path: readonly string[]): string | undefined {
  const topology = topologyOf(path);
  return typeof topology === 'object' ? topology.keys[0] : undefined;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
