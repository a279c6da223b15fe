import { identityOf } from '../../objects/group-kind.ts';
import { history, lastDeployed } from '../../release/history.ts';
import type { Release } from '../../release/release.ts';
import { applySettings } from '../apply/apply-settings.ts';
import { type Owner, withOwners } from '../apply/ownership.ts';
import { type ReleaseObject, resolveReleaseObjects, subtractObjects } from '../apply/release-object.ts';
import { resourcePolicy } from '../apply/resource-policy.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { withRedaction } from '../evidence/redacted-reports.ts';
import { type Manifests, type Redact, redactionOf } from '../evidence/release-redaction.ts';
import { answerRedaction } from '../evidence/secret-values.ts';
import { uncheckedReasons } from '../plan/new-kinds.ts';
import type { DiffRequest } from '../request.ts';
import { withChart } from '../resolve.ts';
import { checkNamespace, checkReleaseName } from '../steps/names.ts';
import { installValues, upgradeValues } from '../steps/release-values.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { renderForCluster, withSteps } from '../template.ts';
import { changedObject, difference, maskedDifference, type ObjectDifference } from './object-changes.ts';
import { previewChange } from './preview.ts';

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
      values: (sources) => (isInstall ? installValues(request, sources) : upgradeValues(request, baseline, sources)),
      release: { name, namespace, revision: isInstall ? 1 : revision, isInstall, isUpgrade: !isInstall },
    });
    const fresh = { ...rendered, namespace, secret_values: rendered.secretPaths };
    const releases: Manifests[] = [fresh, ...(baseline ? [baseline] : [])];
    const redaction = redactionOf(context, releases);
    const diff = await runner.step('check', (given) =>
      withRedaction(given, redaction, context.abandon, (tools) =>
        compare(context, request, { manifest: rendered.manifest, baseline, redact: redaction.ofServer }, tools),
      ),
    );
    const secret = answerRedaction(context, releases);
    return secret === undefined ? diff : { ...diff, differences: await secret.differences(diff.differences) };
  });
}

async function compare(
  context: OperationContext,
  { namespace, releaseName: name, against = 'stored' }: DiffRequest,
  { manifest, baseline, redact }: { manifest: string; baseline: Release | undefined; redact: Redact },
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
  const found =
    against === 'live'
      ? await liveDifferences(context, { objects, old, baseline, owner: { name, namespace }, redact }, tools)
      : storedDifferences(objects, old);
  const differences = found.map(maskedDifference);
  tools.done(`${differences.length} of ${objects.length} objects differ`);
  const kept = found.filter(({ change }) => change !== 'removed');
  return { differences, unchanged: objects.length - kept.length };
}

function storedDifferences(objects: readonly ReleaseObject[], old: readonly ReleaseObject[]): ObjectDifference[] {
  const byIdentity = new Map(old.map((item) => [identityOf(item.ref), item]));
  const found = objects.map((item) => storedDifference(byIdentity.get(identityOf(item.ref)), item));
  return [...found.filter((change) => change !== undefined), ...removed(old, objects)];
}

function storedDifference(before: ReleaseObject | undefined, { ref, object }: ReleaseObject) {
  return before === undefined ? difference('added', ref) : changedObject(ref, before.object, object);
}

interface LiveComparison {
  objects: readonly ReleaseObject[];
  old: readonly ReleaseObject[];
  baseline: Release | undefined;
  owner: Owner;
  redact: Redact;
}

/** Compares live objects with what the API server makes of the new ones, as a plan does. */
async function liveDifferences(
  { cluster }: OperationContext,
  { objects, old, baseline, owner, redact }: LiveComparison,
  tools: StepTools,
): Promise<ObjectDifference[]> {
  const action = baseline === undefined ? 'install' : 'upgrade';
  const oldMethod = baseline?.apply_method;
  const settings = applySettings({}, baseline === undefined ? 'ssa' : oldMethod);
  const previews = await previewChange(
    { action, settings, owner, objects: withOwners(objects, owner), old, oldMethod, adopted: [] },
    { ...tools, cluster },
    { unchecked: await uncheckedReasons(cluster, owner.namespace, objects, tools.signal), redact },
  );
  return previews.flatMap(({ difference: found }) => found ?? []);
}

/** An object with a resource policy stays. */
function removed(old: readonly ReleaseObject[], objects: readonly ReleaseObject[]): ObjectDifference[] {
  return subtractObjects(old, objects)
    .filter(({ object }) => object.metadata.annotations?.[resourcePolicy] !== 'keep')
    .map(({ ref }) => difference('removed', ref));
}

export const operation = operationOf('diff_release', {
  request: withChart,
  run: diffRelease,
  answer: (answer) => answer,
});
