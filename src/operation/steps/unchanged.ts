import { isDeepStrictEqual } from 'node:util';
import type { Hook } from '../../release/hook.ts';
import type { Release } from '../../release/release.ts';
import { customLabels, type StoredRevision } from '../../release/storage/storage.ts';
import type { StoredChart } from '../../release/stored-chart.ts';
import type { RenderedRelease } from '../../render/release-renderer.ts';
import { withOwners } from '../apply/ownership.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import { previewChange } from '../diff/preview.ts';
import type { UpgradeRequest } from '../request.ts';
import { type OperationState, revisionOf } from '../state/operation-state.ts';
import type { Work } from '../work.ts';
import { upgradeLabels } from './new-revision.ts';
import type { StateTools } from './step.ts';

/** The content of a new revision, and the objects that it would apply and start from. */
interface Candidate {
  rendered: RenderedRelease;
  objects: readonly ReleaseObject[];
  old: readonly ReleaseObject[];
}

/**
 * Whether an upgrade would change nothing but the description: the newest revision is deployed and
 * has the same chart, values, manifest, hooks, notes, labels and way to apply, and the live objects
 * are as the API server would make them.
 */
export async function isUnchanged(
  { last, state, candidate }: { last: StoredRevision; state: OperationState; candidate: Candidate },
  { context: { cluster }, request, cache }: Work<UpgradeRequest>,
  { signal }: StateTools,
): Promise<boolean> {
  const { release, labels } = last;
  const { apply, baselines } = revisionOf(state);
  const { rendered, objects, old } = candidate;
  if (release.info.status !== 'deployed' || baselines[0] !== release.version) return false;
  if (apply.method !== (release.apply_method === 'ssa' ? 'ssa' : 'csa')) return false;
  if (!isDeepStrictEqual(upgradeLabels(labels, request.labels), customLabels(labels))) return false;
  if (!isSameContent(release, rendered)) return false;
  const owner = { name: state.releaseName, namespace: state.namespace };
  const change = { action: 'upgrade', settings: apply, owner, objects: withOwners(objects, owner) } as const;
  // a plan or a dry run has asked the API server already
  const previews =
    cache.previews ??
    (await previewChange(
      { ...change, old, oldMethod: release.apply_method, adopted: [] },
      { cluster, signal, report: () => undefined },
      { redact: (texts) => Promise.resolve([...texts]) }, // only whether objects differ is used
    ));
  return previews.every((preview) => preview.difference === undefined);
}

function isSameContent(release: Release, rendered: RenderedRelease): boolean {
  if (release.manifest !== rendered.manifest || (release.info.notes ?? '') !== rendered.notes) return false;
  const pairs = [
    [release.config ?? {}, rendered.config],
    [release.secret_values ?? [], rendered.secretPaths ?? []],
    [(release.hooks ?? []).map(comparableHook), rendered.hooks.map(comparableHook)],
    [comparableChart(release.chart), comparableChart(rendered.chart)],
  ];
  return pairs.every(([stored, wanted]) => isDeepStrictEqual(asStored(stored), asStored(wanted)));
}

/** Without the last run, and the delete policies, to which a run adds the default one. */
function comparableHook({ name, kind, path, manifest, events, weight = 0 }: Hook) {
  return { name, kind, path, manifest, events, weight };
}

/** Without the times of files that Helm stores. */
function comparableChart({ metadata, lock, values, schema, templates, files }: StoredChart) {
  const contents = (list: typeof files) =>
    (list ?? []).map(({ name, data }) => ({ name, data: data ?? '' })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const rest = { metadata, lock, values: values ?? {}, schema: schema ?? '' };
  return { ...rest, templates: contents(templates), files: contents(files) };
}

/** Returns a value as it is after it was stored and read. */
function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
