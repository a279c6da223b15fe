import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import { history, lastDeployed } from '../../release/history.ts';
import type { Release } from '../../release/release.ts';
import { forEach } from '../apply/concurrency.ts';
import { withOwner } from '../apply/ownership.ts';
import { resolveReleaseObjects, subtractObjects, type ReleaseObject } from '../apply/release-object.ts';
import { resourcePolicy } from '../apply/resource-policy.ts';
import { fieldManager } from '../apply/write.ts';
import type { OperationContext } from '../context.ts';
import { messageOf } from '../error.ts';
import type { DiffRequest } from '../request.ts';
import { checkNamespace, checkReleaseName } from '../steps/names.ts';
import { installValues, upgradeValues } from '../steps/release-values.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { renderForCluster, withSteps } from '../template.ts';
import { changedObject, difference, maskedDifference, type ObjectDifference } from './object-changes.ts';

export interface Diff {
  /** In the order of installation, then the removed objects. */
  differences: ObjectDifference[];
  /** Number of objects that stay as they are. */
  unchanged: number;
}

/**
 * Returns what an upgrade would change, or an installation if no revision is deployed. Hooks are
 * not compared.
 */
export async function diffRelease(context: OperationContext, request: DiffRequest): Promise<Diff> {
  const { releaseName: name, namespace } = request;
  checkReleaseName(name, () => `release name is invalid: ${name}`);
  checkNamespace(namespace);
  return await withSteps(context, request, async (runner) => {
    const revisions = await history(context.storage, namespace, name, runner.signal);
    const baseline = lastDeployed(revisions)?.release;
    const revision = (revisions.at(-1)?.release.version ?? 0) + 1;
    const isInstall = baseline === undefined;
    const rendered = await renderForCluster(context, runner, request, {
      values: isInstall ? installValues(request) : upgradeValues(request, baseline),
      release: { name, namespace, revision: isInstall ? 1 : revision, isInstall, isUpgrade: !isInstall },
    });
    return await runner.step('check', (tools) => compare(context, request, rendered.manifest, baseline, tools));
  });
}

async function compare(
  context: OperationContext,
  { namespace, releaseName: name, against = 'stored' }: DiffRequest,
  manifest: string,
  baseline: Release | undefined,
  tools: StepTools,
): Promise<Diff> {
  const { signal } = tools;
  const prefix = 'unable to build kubernetes objects from new release manifest';
  const objects = await resolveReleaseObjects(context, manifest, namespace, { prefix, signal });
  const old = await resolveReleaseObjects(context, baseline?.manifest ?? '', namespace, {
    prefix: 'unable to build kubernetes objects from current release manifest',
    signal,
    versions: 'any served',
  });
  const byIdentity = new Map(old.map((item) => [identityOf(item.ref), item]));
  const found = await forEach(objects, (item) =>
    against === 'live'
      ? liveDifference(context, item, { name, namespace }, signal)
      : Promise.resolve(storedDifference(byIdentity.get(identityOf(item.ref)), item)),
  );
  const differences = [...found.filter((change) => change !== undefined), ...removed(old, objects)].map(
    maskedDifference,
  );
  tools.done(`${differences.length} of ${objects.length} objects differ`);
  return { differences, unchanged: found.filter((change) => change === undefined).length };
}

function storedDifference(before: ReleaseObject | undefined, { ref, object }: ReleaseObject) {
  return before === undefined ? difference('added', ref) : changedObject(ref, before.object, object);
}

/** Compares a live object with what the API server makes of the new one, admission included. */
async function liveDifference(
  { cluster }: OperationContext,
  { ref, object }: ReleaseObject,
  owner: { name: string; namespace: string },
  signal: AbortSignal,
): Promise<ObjectDifference | undefined> {
  const live = ref.name === '' ? undefined : await cluster.get(ref, signal);
  if (live === undefined) return difference('added', ref);
  try {
    const after = await cluster.apply(withOwner(object, owner), { fieldManager, dryRun: true, signal });
    return changedObject(ref, live, after);
  } catch (error) {
    signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'unreachable')) throw error;
    return difference('unknown', ref, { reason: messageOf(error) });
  }
}

/** An object with a resource policy stays. */
function removed(old: readonly ReleaseObject[], objects: readonly ReleaseObject[]): ObjectDifference[] {
  return subtractObjects(old, objects)
    .filter(({ object }) => object.metadata.annotations?.[resourcePolicy] !== 'keep')
    .map(({ ref }) => difference('removed', ref));
}
