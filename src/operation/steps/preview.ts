import { withOwners } from '../apply/ownership.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { previewChange, previewRemovals } from '../diff/preview.ts';
import { redactionOfWork } from '../evidence/work-redaction.ts';
import { uncheckedReasons } from '../plan/new-kinds.ts';
import { requireSameObjects } from '../plan/stale.ts';
import type { PreviewRequest, SetRequest } from '../request.ts';
import { type OperationState, revisionOf } from '../state/operation-state.ts';
import { storedRevision, type Work } from '../work.ts';
import type { StepTools } from './step-runner.ts';

/** The objects of a revision, and of those that it starts from. */
export interface PreviewedObjects {
  objects: readonly ReleaseObject[];
  old: readonly ReleaseObject[];
  adopted?: readonly SeenObject[];
}

/** Whether a request asks what would happen to objects, or performs a plan that says so. */
export function isPreviewed({ preview, planned }: PreviewRequest): boolean {
  return preview !== undefined || planned !== undefined;
}

/**
 * Finds out what applying a revision would do to each object, if the request asks for it. Throws
 * `plan_stale` if it performs a plan, and that is not what the plan says.
 */
export async function previewRevision(
  state: OperationState,
  work: Work<PreviewRequest & SetRequest>,
  { objects, old, adopted = [] }: PreviewedObjects,
  tools: StepTools,
): Promise<void> {
  const { context, request, cache } = work;
  if (!isPreviewed(request)) return;
  const { action, apply: settings, baselines } = revisionOf(state);
  if (action === 'uninstall' || action === 'test') throw new Error(`the verb ${action} applies nothing`);
  const [baseline] = baselines;
  const oldMethod =
    baseline === undefined
      ? undefined
      : (await storedRevision(work, state, baseline, tools.signal)).release.apply_method;
  const owner = { name: state.releaseName, namespace: state.namespace };
  const unchecked = await uncheckedReasons(context.cluster, state.namespace, objects, tools.signal);
  cache.previews = await previewChange(
    {
      action,
      settings,
      owner,
      objects: withOwners(objects, owner),
      old,
      oldMethod,
      adopted,
      onlyOwned: request.manifestSet === true,
    },
    { ...tools, cluster: context.cluster },
    { unchecked, redact: redactionOfWork(() => state, work).ofServer },
  );
  if (request.planned) requireSameObjects(request.planned, cache.previews);
}

/** Does the same as {@link previewRevision} for an uninstallation, which keeps some objects. */
export async function previewUninstallation(
  state: OperationState,
  { context, request, cache }: Work<PreviewRequest>,
  removed: readonly ReleaseObject[],
  { signal }: StepTools,
): Promise<void> {
  const owner = { name: state.releaseName, namespace: state.namespace };
  cache.previews = await previewRemovals(removed, owner, { cluster: context.cluster, signal });
  if (request.planned) requireSameObjects(request.planned, cache.previews);
}
