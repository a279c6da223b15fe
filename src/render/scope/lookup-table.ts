import { int64, type Value } from '../../go/value.ts';

/** What a template asked `lookup` for. */
export interface LookupKey {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

/** Answers to lookups by {@link lookupId}. */
export type LookupAnswers = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The lookups of one render: what is known, and what a template asked for beyond that. */
export interface LookupTable {
  answers: LookupAnswers;
  missing: LookupKey[];
}

/** A key that is the same for the same question. */
export function lookupId({ apiVersion, kind, namespace, name }: LookupKey): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

/** An object of the cluster as Go's client has it: whole numbers are int64. */
export function lookupValue(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'number') return Number.isInteger(data) ? int64(data) : data;
  if (typeof data === 'boolean' || typeof data === 'string') return data;
  if (Array.isArray(data)) return data.map(lookupValue);
  return new Map(Object.entries(data).map(([key, value]) => [key, lookupValue(value)]));
}
