import { GoError, int64, type Value } from '../../go/value.ts';

/** Key of a `lookup` call. */
interface ObjectKey {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

/** Key of a `getHostByName` call. */
interface HostKey {
  host: string;
}

export type LookupKey = ObjectKey | HostKey;

/** Objects that lookups found, and addresses as `{addresses}`, by {@link lookupId}. */
export type LookupResults = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Lookups of one pass: the known results, and the lookups without a result. */
export interface LookupTable {
  results: LookupResults;
  missing: LookupKey[];
  /** Whether `getHostByName` resolves names. Default: it returns an empty text. */
  resolvesHosts?: boolean | undefined;
}

/** Returns a text that is equal for equal keys. */
export function lookupId(key: LookupKey): string {
  if ('host' in key) return JSON.stringify([key.host]);
  const { apiVersion, kind, namespace, name } = key;
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

/**
 * Returns the first address of a host. Helm takes a random one, so that each render may have
 * another result. Throws GoError with Helm's text if there is none.
 */
export function lookupHost(lookups: LookupTable | undefined, host: string): string {
  if (lookups?.resolvesHosts !== true) return '';
  const found = lookups.results.get(lookupId({ host }));
  if (found === undefined) {
    lookups.missing.push({ host });
    return '';
  }
  const { addresses } = found;
  const first: unknown = Array.isArray(addresses) ? addresses[0] : undefined;
  if (typeof first !== 'string') throw new GoError('invalid argument to Intn');
  return first;
}

/**
 * Converts an object of the cluster as Go's client does: whole numbers become int64. So do the
 * bigints that an application has.
 */
export function lookupValue(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'bigint') return int64(data);
  if (typeof data === 'number') return Number.isInteger(data) ? int64(data) : data;
  if (typeof data === 'boolean' || typeof data === 'string') return data;
  if (Array.isArray(data)) return data.map(lookupValue);
  return new Map(Object.entries(data).map(([key, value]) => [key, lookupValue(value)]));
}
