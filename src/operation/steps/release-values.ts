import type { Release } from '../../release/release.ts';
import type { ReleaseValues, StoredValues } from '../../render/release-renderer.ts';
import type { ReuseOptions, ValuesRequest } from '../request.ts';

/** Returns the values of a new release. */
export function installValues({ values, set }: ValuesRequest): ReleaseValues {
  return { yaml: values, set };
}

/** Returns the values of an upgrade from a revision (pkg/action/upgrade.go: reuseValues). */
export function upgradeValues(request: ValuesRequest & ReuseOptions, { config = {}, chart }: Release): ReleaseValues {
  const given = installValues(request);
  const reuse = reuseOf(request);
  if (reuse === undefined) return given;
  const defaults = { name: chart.metadata?.name ?? '', values: chart.values ?? {} };
  return { ...given, stored: { config, chart: defaults, reuse } };
}

function reuseOf(request: ReuseOptions): StoredValues['reuse'] | undefined {
  if (request.resetValues === true) return undefined;
  if (request.reuseValues === true) return 'with-defaults';
  return request.resetThenReuseValues === true ? 'without-defaults' : 'if-none-given';
}
