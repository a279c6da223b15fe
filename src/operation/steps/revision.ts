import type { ValueMap } from '../../go/value.ts';
import { plainObject } from '../../release/plain-value.ts';
import type { Release, ReleaseInfo } from '../../release/release.ts';
import { storedChart } from '../../release/stored-chart.ts';
import type { Rendered } from '../../render/rendered.ts';

/** Helm's command line keeps as many revisions. */
export const defaultHistoryLimit = 10;

/** A new revision out of what was rendered. */
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
