import type { ApplyMethod } from '../apply/apply-settings.ts';
import type { Release, ReleaseInfo } from '../../release/release.ts';
import type { RenderedRelease } from '../../render/release-renderer.ts';

/** Description of a revision that was not deployed. */
export const dryRunDescription = 'Dry run complete';

/** Number of revisions that the helm CLI keeps by default. */
export const defaultHistoryLimit = 10;

/** Returns a new revision with a rendered chart. */
export function newRevision(
  identity: { name: string; namespace: string; version: number },
  info: ReleaseInfo,
  rendered: RenderedRelease,
  method: ApplyMethod,
): Release {
  return {
    name: identity.name,
    info: { ...info, ...(rendered.notes !== '' && { notes: rendered.notes }) },
    chart: rendered.chart,
    ...(Object.keys(rendered.config).length > 0 && { config: rendered.config }),
    manifest: rendered.manifest,
    ...(rendered.hooks.length > 0 && { hooks: rendered.hooks }),
    version: identity.version,
    namespace: identity.namespace,
    apply_method: method,
  };
}
