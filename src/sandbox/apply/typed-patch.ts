import { isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type FieldType, type TypeMismatch, typeMismatch } from '../admission/field-types.ts';
import { ApiError } from '../api-error.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';
import { elementStep } from './field-set.ts';
import { topologyFor, type TopologyOf } from './list-keys.ts';
import { formatSteps } from './path-format.ts';

/**
 * Refuses a configuration with values of the wrong type or with duplicate list keys. The sandbox
 * knows only a part of the schema. Throws a 500, like the API server.
 */
export function checkTypedPatch(type: ResourceType, applied: KubeObject): void {
  const topologyOf = topologyFor(type);
  const mismatch = typeMismatch(type, applied);
  const problem = mismatch ? describeMismatch(mismatch, topologyOf) : duplicateIn(applied, [], [], topologyOf);
  if (problem === undefined) return;
  const { namespace = '', name } = applied.metadata;
  const version = type.group === '' ? `/${type.version}` : apiVersionOf(type);
  const message = `failed to create typed patch object (${namespace}/${name}; ${version}, Kind=${type.kind}): ${problem}`;
  throw new ApiError(500, '', message);
}

function describeMismatch(mismatch: TypeMismatch, topologyOf: TopologyOf): string {
  const steps = mismatch.path.map((step) => {
    if (typeof step === 'string') return `f:${step}`;
    const topology = topologyOf(step.list);
    return topology === 'atomic' || topology === 'granular' ? 'i:0' : elementStep(step.element, topology);
  });
  return `${formatSteps(steps)}: ${expectation(mismatch.expected, mismatch.value)}`;
}

function expectation(expected: FieldType, value: unknown): string {
  switch (expected) {
    case 'string':
    case 'bytes':
      return `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
    case 'int32':
      return `expected numeric (int or float), got ${typeof value}`;
    case '[]string':
      return `expected list, got &{${goValue(value)}}`;
    case 'map[string]string':
      return `expected map, got &{${goValue(value)}}`;
  }
}

/** Formats a value like Go's `%v`. */
function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isJsonObject(value)) {
    const fields = Object.keys(value).sort();
    return `map[${fields.map((field) => `${field}:${goValue(value[field])}`).join(' ')}]`;
  }
  return value === null ? '<nil>' : typeof value === 'string' ? value : JSON.stringify(value);
}

function duplicateIn(
  value: unknown,
  fields: readonly string[],
  steps: readonly string[],
  topologyOf: TopologyOf,
): string | undefined {
  if (isJsonObject(value)) {
    return firstOf(Object.entries(value), ([field, child]) =>
      duplicateIn(child, [...fields, field], [...steps, `f:${field}`], topologyOf),
    );
  }
  const topology = topologyOf(fields);
  if (!Array.isArray(value) || topology === 'atomic' || topology === 'granular') return undefined;
  const seen = new Set<string>();
  return firstOf(value as unknown[], (element) => {
    const step = elementStep(element, topology);
    if (seen.has(step)) return `${formatSteps(steps)}: duplicate entries for key ${formatSteps([step])}`;
    seen.add(step);
    return isJsonObject(element) ? duplicateInElement(element, fields, [...steps, step], topologyOf) : undefined;
  });
}

function duplicateInElement(
  element: JsonObject,
  fields: readonly string[],
  steps: readonly string[],
  topologyOf: TopologyOf,
): string | undefined {
  return firstOf(Object.entries(element), ([field, child]) =>
    duplicateIn(child, [...fields, field], [...steps, `f:${field}`], topologyOf),
  );
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
