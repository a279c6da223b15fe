import type { ValueMap } from '../../go/value.ts';
import { plainObject } from '../../release/plain-value.ts';
import type { Release, ReleaseInfo } from '../../release/release.ts';
import { storedChart } from '../../release/stored-chart.ts';
import type { Rendered } from '../../render/rendered.ts';

/** Number of revisions that the helm CLI keeps by default. */
export const defaultHistoryLimit = 10;

/** Returns a new revision with a rendered chart. */
export function newRevision(
  identity: { name: string; namespace: string; version: number },
  info: ReleaseInfo,
  values: ValueMap,
  rendered: Rendered,
): Release {
  return {
    name: identity.name,
    info: { ...info, ...(rendered.notes !== '' && { notes: rendered.notes }) },
    chart: storedChart(rendered.chart),
    ...(values.size > 0 && { config: plainObject(values) }),
    manifest: rendered.manifest,
    ...(rendered.hooks.length > 0 && { hooks: rendered.hooks }),
    version: identity.version,
    namespace: identity.namespace,
    apply_method: 'ssa',
  };
}
