import { fieldAt, isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { Release } from '../../release/release.ts';
import { joinedPaths } from '../../release/secret-values.ts';
import type { ReleaseValues, StoredValues } from '../../render/release-renderer.ts';
import type { ReuseOptions, ValuesRequest } from '../request.ts';
import type { ReadSources } from './values-sources.ts';

/** Returns the values of a new release. */
export function installValues({ values, set }: ValuesRequest, { sources, secret }: ReadSources): ReleaseValues {
  return {
    ...(sources.length > 0 && { sources }),
    yaml: values,
    set,
    ...(secret.paths.length > 0 && { secretPaths: secret.paths }),
  };
}

/** Returns the values of an upgrade from a revision (pkg/action/upgrade.go: reuseValues). */
export function upgradeValues(
  request: ValuesRequest & ReuseOptions,
  { config = {}, chart, secret_values }: Release,
  sources: ReadSources,
): ReleaseValues {
  const given = installValues(request, sources);
  const reuse = reuseOf(request);
  if (reuse === undefined) return given;
  const defaults = { name: chart.metadata?.name ?? '', values: chart.values ?? {} };
  const secretPaths = joinedPaths(given.secretPaths, secret_values);
  return { ...given, stored: { config, chart: defaults, reuse }, ...(secretPaths && { secretPaths }) };
}

function reuseOf(request: ReuseOptions): StoredValues['reuse'] | undefined {
  if (request.resetValues === true) return undefined;
  if (request.reuseValues === true) return 'with-defaults';
  return request.resetThenReuseValues === true ? 'without-defaults' : 'if-none-given';
}

/** Whether an upgrade merges its values with those of the revision that it starts from. */
export function mergesReused(request: ReuseOptions): boolean {
  const reuse = reuseOf(request);
  return reuse === 'with-defaults' || reuse === 'without-defaults';
}

/**
 * Returns the values of a revision after an upgrade has merged them into its own. As in Helm, they
 * have the nulls of the upgrade, which Helm stores with the revision when it becomes `superseded`
 * (pkg/chart/common/util/coalesce.go: coalesceTablesFullKey).
 *
 * @param merged the values of the upgrade; keys that only `config` has were deleted by a null
 */
export function reusedConfig(config: JsonObject, merged: JsonObject): JsonObject {
  const reused = { ...config };
  // a list instead of recursion, because values can be nested deeper than the stack
  const pairs: [JsonObject, JsonObject][] = [[reused, merged]];
  for (const [own, other] of pairs) {
    for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
      const [value, otherValue] = [fieldAt(own, key), fieldAt(other, key)];
      if (otherValue === undefined || otherValue === null) setValue(own, key, null);
      else if (isJsonObject(value) && isJsonObject(otherValue)) {
        const copy = { ...value };
        setValue(own, key, copy);
        pairs.push([copy, otherValue]);
      }
    }
  }
  return reused;
}

/** Sets an own key, even `__proto__`. */
function setValue(table: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(table, key, { value, writable: true, enumerable: true, configurable: true });
}
