import { history } from '../release/history.ts';
import { withStatus, type Release } from '../release/release.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import type { OperationContext } from './context.ts';
import { deployRevision, finishRevision, type PendingRevision } from './steps/pending-revision.ts';
import { OperationError, messageOf, withMessage } from './error.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { checkHookNames } from './steps/object-names.ts';
import { ensureNamespace } from './steps/namespace.ts';
import { applySettings, checkApplySettings } from './apply/apply-settings.ts';
import { checkOwnership } from './apply/ownership-check.ts';
import { prepare } from './steps/prepare.ts';
import { recordFailure, recordRevision } from './steps/record.ts';
import type { InstallRequest } from './request.ts';
import { dryRunDescription, newRevision } from './steps/revision.ts';
import { noChanges, recordChanges } from './state/object-changes.ts';
import { installValues } from './steps/release-values.ts';
import { compensate, runSteps } from './run.ts';
import type { StepRunner } from './steps/step-runner.ts';
import { resolveReleaseObjects } from './apply/release-object.ts';
import { uninstallRelease } from './uninstall.ts';
import { upgradeRelease } from './upgrade.ts';
import { updateRevision } from './steps/update-revision.ts';

/**
 * Installs a chart as a new release (pkg/action/install.go), or upgrades the release if it exists
 * and the request allows it. If it fails, an atomic installation is uninstalled, and any other
 * leaves the release `failed`. CRDs and the namespace are kept.
 */
export async function install(context: OperationContext, request: InstallRequest): Promise<Release> {
  const { releaseName, namespace } = request;
  checkReleaseName(
    releaseName,
    (problem) => `release name check failed: release name ${JSON.stringify(releaseName)}: ${problem}`,
  );
  checkNamespace(namespace);
  return await runSteps(context, request.timeout, async (runner) => {
    const revisions = await history(context.storage, namespace, releaseName, runner.signal);
    const last = revisions.at(-1);
    const isUninstalled = last?.release.info.status === 'uninstalled';
    const canReplace = request.replace === true || request.upgrade === true;
    const isFree = last === undefined || (isUninstalled && canReplace);
    if (!isFree && request.upgrade === true) return await upgradeRelease(context, runner, request, revisions);
    // as in Helm, a dry run does not need a free name
    if (!isFree && request.dryRun !== true) {
      throw new OperationError('release_exists', 'release name check failed: cannot reuse a name that is still in use');
    }
    return await installRelease(context, runner, request, last);
  });
}

async function installRelease(
  context: OperationContext,
  runner: StepRunner,
  request: InstallRequest,
  replaced: StoredRevision | undefined,
): Promise<Release> {
  const version = (replaced?.release.version ?? 0) + 1;
  const { releaseName: name, namespace, loadChart, description = 'Install complete' } = request;
  const release = { name, namespace, revision: 1, isInstall: true, isUpgrade: false };
  const rendered = await prepare(context, runner, { ...request, loadChart, values: installValues(request), release });

  const apply = applySettings(request, 'ssa');
  const adopted = await runner.step('check', async ({ signal }) => {
    const prefix = 'unable to build kubernetes objects from release manifest';
    const objects = await resolveReleaseObjects(context, rendered.manifest, namespace, { prefix, signal });
    const { takeOwnership } = request;
    const options = { prefix: 'unable to continue with install', signal, takeOwnership };
    await checkHookNames(context, rendered.hooks, signal);
    const existing = await checkOwnership(context.cluster, objects, { name, namespace }, options);
    if (existing.length > 0) checkApplySettings(apply);
    return existing;
  });
  if (request.dryRun === true) {
    const now = formatTime(context.host.now());
    const times = { first_deployed: now, last_deployed: now };
    const info = { ...times, description: dryRunDescription, status: 'pending-install' as const };
    return newRevision({ name, namespace, version: 1 }, info, rendered, apply.method);
  }
  await runner.step('namespace', (tools) =>
    ensureNamespace(context.cluster, namespace, request.createNamespace ?? true, tools),
  );
  const revision = await runner.step('record', async (tools) => {
    const now = formatTime(context.host.now());
    const info = {
      first_deployed: now,
      last_deployed: now,
      description: 'Initial install underway',
      status: 'pending-install' as const,
    };
    tools.done(`revision ${version}`);
    if (replaced !== undefined) {
      const superseded = withStatus(replaced.release, 'superseded', 'superseded by new release');
      await updateRevision(context.storage, { ...replaced, release: superseded }, tools.signal, 'uninstalled');
    }
    return await recordRevision(
      context,
      newRevision({ name, namespace, version }, info, rendered, apply.method),
      {},
      0,
      tools.signal,
    );
  });

  const pending: PendingRevision = {
    action: 'install',
    revision,
    baseline: undefined,
    superseded: [],
    options: request,
    apply,
    adopted,
    description,
    changes: recordChanges(noChanges),
  };
  try {
    await deployRevision(context, runner, pending);
  } catch (error) {
    throw await failed(context, request, pending, error);
  }
  return await finishRevision(context, runner, pending);
}

/** Undoes a failed installation, or stores the failure. Returns the error with Helm's message. */
async function failed(
  context: OperationContext,
  request: InstallRequest,
  { revision, adopted }: PendingRevision,
  error: unknown,
): Promise<unknown> {
  if (context.abandon?.aborted === true) return error;
  const { releaseName, namespace, timeout, atomic = true } = request;
  const message = messageOf(error);
  if (!atomic) {
    return await recordFailure(context, revision, `Release ${JSON.stringify(releaseName)} failed: ${message}`, error);
  }
  try {
    await compensate(context, 'uninstall', timeout, (runner) =>
      uninstallRelease(context, runner, { releaseName, namespace }, adopted),
    );
  } catch (second) {
    return withMessage(
      error,
      `an error occurred while uninstalling the release. original install error: ${message}: ${messageOf(second)}`,
    );
  }
  return withMessage(
    error,
    `release ${releaseName} failed, and has been uninstalled due to rollback-on-failure being set: ${message}`,
  );
}
