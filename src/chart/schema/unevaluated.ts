import type { Value } from '../../go/value.ts';
import type { Schema } from './schema.ts';

/** Parts of a value that no keyword has evaluated yet. Tracked only if needed. */
export class Unevaluated {
  /** Absent if not needed. */
  readonly properties: Set<string> | undefined;
  readonly items: Set<number> | undefined;

  constructor(properties?: Iterable<string>, items?: Iterable<number>) {
    this.properties = properties && new Set(properties);
    this.items = items && new Set(items);
  }

  static readonly #nothing = new Unevaluated();

  /** Returns the initial state for a schema and a value. `wanted`: whether the caller needs it. */
  static of(value: Value, schema: Schema, wanted: boolean): Unevaluated {
    if (value instanceof Map) {
      const kept = schema.additionalProperties === undefined && (wanted || schema.unevaluatedProperties !== undefined);
      return kept ? new Unevaluated(value.keys()) : Unevaluated.#nothing;
    }
    if (!Array.isArray(value) || !(wanted || schema.unevaluatedItems !== undefined)) return Unevaluated.#nothing;
    return new Unevaluated(undefined, Array.from(value.keys()).slice(evaluatedItems(schema)));
  }

  get isEmpty(): boolean {
    return !this.properties?.size && !this.items?.size;
  }

  /** Removes everything that another schema has evaluated in the same value. */
  keepOnly(other: Unevaluated): void {
    for (const name of this.properties ?? []) if (!other.properties?.has(name)) this.properties?.delete(name);
    for (const i of this.items ?? []) if (!other.items?.has(i)) this.items?.delete(i);
  }
}

/** Returns the number of items that a schema always evaluates. */
function evaluatedItems(schema: Schema): number {
  if (schema.draft >= 2020) return schema.items !== undefined ? Infinity : (schema.prefixItems?.length ?? 0);
  if (schema.additionalItems !== undefined) return Infinity;
  return Array.isArray(schema.items) ? schema.items.length : schema.items === undefined ? 0 : Infinity;
}
