import { customLabels } from '../release/storage/storage.ts';
import { history, lastDeployed } from '../release/history.ts';
import { withStatus, type Release } from '../release/release.ts';
import { isPending } from '../release/status.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import type { OperationContext } from './context.ts';
import { deployRevision, finishRevision, type PendingRevision } from './steps/pending-revision.ts';
import { OperationError } from './error.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { checkHookNames } from './steps/object-names.ts';
import { applySettings, checkApplySettings } from './apply/apply-settings.ts';
import { checkOwnership } from './apply/ownership-check.ts';
import { prepare } from './steps/prepare.ts';
import { pendingOperation, recordRevision } from './steps/record.ts';
import type { UpgradeRequest } from './request.ts';
import { defaultHistoryLimit, dryRunDescription, newRevision } from './steps/revision.ts';
import { noChanges, recordChanges } from './state/object-changes.ts';
import { upgradeValues } from './steps/release-values.ts';
import { runSteps } from './run.ts';
import type { StepRunner } from './steps/step-runner.ts';
import { resolveReleaseObjects, subtractObjects } from './apply/release-object.ts';
import { undoUpgrade } from './steps/undo-upgrade.ts';

/**
 * Upgrades a release to another chart or other values (pkg/action/upgrade.go). If it fails, an
 * atomic upgrade rolls back to the last successful revision, and any other leaves its revision
 * `failed`.
 */
export async function upgrade(context: OperationContext, request: UpgradeRequest): Promise<Release> {
  const { releaseName, namespace } = request;
  checkReleaseName(releaseName, () => `release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  return await runSteps(context, request.timeout, async (runner) => {
    const revisions = await history(context.storage, namespace, releaseName, runner.signal);
    return await upgradeRelease(context, runner, request, revisions);
  });
}

/** Runs the steps of {@link upgrade}. `revisions` are sorted, the oldest first. */
export async function upgradeRelease(
  context: OperationContext,
  runner: StepRunner,
  request: UpgradeRequest,
  revisions: readonly StoredRevision[],
): Promise<Release> {
  const { releaseName: name, namespace, loadChart, description = 'Upgrade complete' } = request;
  const { last, baseline } = startingPoint(name, revisions);
  const apply = applySettings(request, last.release.apply_method);
  checkApplySettings(apply);
  const values = upgradeValues(request, baseline.release);
  const version = last.release.version + 1;
  const release = { name, namespace, revision: version, isInstall: false, isUpgrade: true };
  const rendered = await prepare(context, runner, { ...request, loadChart, values, release });

  const adopted = await runner.step('check', async ({ signal }) => {
    const prefix = 'unable to build kubernetes objects from new release manifest';
    const objects = await resolveReleaseObjects(context, rendered.manifest, namespace, { prefix, signal });
    const known = await resolveReleaseObjects(context, baseline.release.manifest, namespace, {
      prefix: 'unable to build kubernetes objects from current release manifest',
      signal,
      versions: 'any served',
    });
    const { takeOwnership } = request;
    const options = { prefix: 'unable to continue with update', signal, takeOwnership };
    await checkHookNames(context, rendered.hooks, signal);
    return checkOwnership(context.cluster, subtractObjects(objects, known), { name, namespace }, options);
  });
  const { first_deployed } = baseline.release.info;
  const info = {
    ...(first_deployed !== undefined && { first_deployed }),
    last_deployed: formatTime(context.host.now()),
    description: 'Preparing upgrade',
    status: 'pending-upgrade' as const,
  };
  const next = newRevision({ name, namespace, version }, info, rendered, apply.method);
  if (request.dryRun === true) return withStatus(next, next.info.status, request.description ?? dryRunDescription);
  const revision = await runner.step('record', async (tools) => {
    tools.done(`revision ${version}`);
    const limit = request.historyLimit ?? defaultHistoryLimit;
    return await recordRevision(context, next, customLabels(last.labels), limit, tools.signal);
  });

  const pending: PendingRevision = {
    action: 'upgrade',
    revision,
    baseline,
    superseded: [baseline],
    options: request,
    apply,
    adopted,
    description,
    changes: recordChanges(noChanges),
  };
  try {
    await deployRevision(context, runner, pending);
  } catch (error) {
    throw await undoUpgrade(context, request, pending, error);
  }
  return await finishRevision(context, runner, pending);
}

/**
 * Returns the newest revision, and the one whose objects Helm takes to be in the cluster: the last
 * deployed one.
 */
function startingPoint(
  name: string,
  revisions: readonly StoredRevision[],
): { last: StoredRevision; baseline: StoredRevision } {
  const last = revisions.at(-1);
  if (last && isPending(last.release.info.status)) throw pendingOperation();
  const status = last?.release.info.status;
  const fallback = status === 'failed' || status === 'superseded' ? last : undefined;
  const baseline = lastDeployed(revisions) ?? fallback;
  if (last && baseline) return { last, baseline };
  throw new OperationError('no_deployed_release', `${JSON.stringify(name)} has no deployed releases`);
}
