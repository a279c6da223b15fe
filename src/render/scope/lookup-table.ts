import { int64, type Value } from '../../go/value.ts';

/** Key of a `lookup` call. */
export interface LookupKey {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

/** Objects that lookups found, by {@link lookupId}. */
export type LookupResults = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Lookups of one pass: the known results, and the lookups without a result. */
export interface LookupTable {
  results: LookupResults;
  missing: LookupKey[];
}

/** Returns a text that is equal for equal keys. */
export function lookupId({ apiVersion, kind, namespace, name }: LookupKey): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

/** Converts an object of the cluster as Go's client does: whole numbers become int64. */
export function lookupValue(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'number') return Number.isInteger(data) ? int64(data) : data;
  if (typeof data === 'boolean' || typeof data === 'string') return data;
  if (Array.isArray(data)) return data.map(lookupValue);
  return new Map(Object.entries(data).map(([key, value]) => [key, lookupValue(value)]));
}
