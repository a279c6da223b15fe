import { isJsonObject, type JsonObject, removeField } from '../../objects/fields.ts';
import { elementMatcher, elementStep } from './field-set.ts';
import type { Topology, TopologyOf } from './list-keys.ts';

/**
 * Merges an applied configuration into the current object: maps by field, lists by their keys;
 * everything else is replaced.
 */
export function mergeApplied(
  current: JsonObject,
  applied: JsonObject,
  topologyOf: TopologyOf,
  path: readonly string[] = [],
): JsonObject {
  const merged: JsonObject = { ...current };
  for (const [field, value] of Object.entries(applied)) {
    merged[field] = mergeValue(current[field], value, topologyOf, [...path, field]);
  }
  return merged;
}

function mergeValue(current: unknown, applied: unknown, topologyOf: TopologyOf, path: readonly string[]): unknown {
  const topology = topologyOf(path);
  if (topology === 'atomic') return applied;
  if (isJsonObject(applied)) return mergeApplied(isJsonObject(current) ? current : {}, applied, topologyOf, path);
  if (!Array.isArray(applied) || topology === 'granular') return applied;
  return mergeList(Array.isArray(current) ? current : [], applied, topology, topologyOf, path);
}

/**
 * Merges lists by keys. The result has the order of the applied list; other elements keep their
 * position relative to the rest.
 */
function mergeList(
  current: readonly unknown[],
  applied: readonly unknown[],
  topology: Exclude<Topology, 'atomic' | 'granular'>,
  topologyOf: TopologyOf,
  path: readonly string[],
): unknown[] {
  const before = new Map(current.map((element) => [elementStep(element, topology), element]));
  const after = new Map(
    applied.map((element) => {
      const step = elementStep(element, topology);
      const old = before.get(step);
      return [
        step,
        isJsonObject(element) && isJsonObject(old) ? mergeApplied(old, element, topologyOf, path) : element,
      ];
    }),
  );
  const result: unknown[] = [];
  const pending = [...after];
  for (const [step, element] of before) {
    if (!after.has(step)) result.push(element);
    else {
      const upTo = pending.findIndex(([name]) => name === step);
      if (upTo >= 0) result.push(...pending.splice(0, upTo + 1).map(([, value]) => value));
    }
  }
  return [...result, ...pending.map(([, value]) => value)];
}

/**
 * Removes a leaf from an object, and its parents if they become empty and no manager owns them.
 * Modifies the object.
 */
export function removeLeaf(
  object: JsonObject,
  leaf: readonly string[],
  isOwned: (path: readonly string[]) => boolean,
): void {
  removeStep(object, leaf, 0, isOwned);
}

function removeStep(
  container: unknown,
  leaf: readonly string[],
  depth: number,
  isOwned: (path: readonly string[]) => boolean,
): void {
  const step = leaf[depth];
  if (step === undefined) return;
  const last = depth === leaf.length - 1 || leaf[depth + 1] === '.';
  if (step.startsWith('f:') && isJsonObject(container)) {
    const field = step.slice(2);
    if (last) removeField(container, field);
    else {
      const child = container[field];
      removeStep(child, leaf, depth + 1, isOwned);
      if (isEmpty(child) && !isOwned(leaf.slice(0, depth + 1))) removeField(container, field);
    }
  } else if (Array.isArray(container)) {
    const index = container.findIndex(elementMatcher(step));
    if (index < 0) return;
    if (last) container.splice(index, 1);
    else removeStep(container[index], leaf, depth + 1, isOwned);
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
