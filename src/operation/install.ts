import type { Release } from '../release/release.ts';
import { formatTime } from '../release/time.ts';
import { applySettings, checkApplySettings } from './apply/apply-settings.ts';
import { checkOwnership } from './apply/ownership-check.ts';
import { resolveReleaseObjects } from './apply/release-object.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { notStoredText, throwFailure } from './failure-message.ts';
import { requireManifestSet } from './manifests/manifest-set.ts';
import { planningContext } from './plan/new-kinds.ts';
import { requireBase } from './plan/stale.ts';
import { deployAnswer, type Deployed, shownDifferences } from './release-answer.ts';
import type { InstallRequest, UninstallRequest } from './request.ts';
import { deployRequest } from './resolve.ts';
import { resume } from './resume.ts';
import { initialState, runOperation } from './run.ts';
import { type OperationState, phaseEnd, revisionOf, revisionState, withRevision } from './state/operation-state.ts';
import { undoPhases } from './steps/clean-up.ts';
import { deploySteps } from './steps/deploy.ts';
import { failPhase, settlePhase } from './steps/fail.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { ensureNamespace } from './steps/namespace.ts';
import { requireAccess } from './steps/needed-access.ts';
import { dryRunDescription, installLabels, newRevision, recordOwnRevision, requireFit } from './steps/new-revision.ts';
import { checkHookNames } from './steps/object-names.ts';
import { prepareSteps, renderedOf } from './steps/prepare.ts';
import { checkCustomKinds } from './steps/present-kinds.ts';
import { previewRevision } from './steps/preview.ts';
import { isOffline } from './steps/render-settings.ts';
import { supersede } from './steps/revisions.ts';
import { type StateTools, stepsFor, type VerbTable } from './steps/step.ts';
import { startUninstall, uninstallProblem, uninstallSteps } from './uninstall.ts';
import { startUpgrade, upgradeTable } from './upgrade.ts';
import { newWork, ownRevision, readHistory, storedRevision, type Work } from './work.ts';

type InstallWork = Work<InstallRequest>;

/** The steps of {@link install} and of undoing it. */
const installTable: VerbTable<InstallRequest, Deployed> = {
  phases: {
    main: {
      limit: 'operation',
      steps: [
        { id: 'history', run: start },
        ...prepareSteps,
        { id: 'check', name: 'check', run: check },
        { id: 'namespace', name: 'namespace', run: namespace },
        { id: 'record', name: 'record', run: record },
        ...deploySteps,
      ],
    },
    settle: settlePhase,
    fail: failPhase,
    uninstall: {
      limit: 'own',
      group: 'uninstall',
      steps: stepsFor([{ id: 'history', run: startUndo }, ...uninstallSteps.slice(1)], undoRequest),
      conclude: uninstallProblem,
    },
  },
  undo: (state, { atomic = true }) => undoPhases(state, [atomic ? 'uninstall' : 'fail']),
  outcome,
};

/** The tables of {@link install}, which may turn into an upgrade. */
export const installTables = { install: installTable, upgrade: upgradeTable };

/**
 * Installs a chart as a new release (pkg/action/install.go), or upgrades the release if it exists
 * and the request allows it. If it fails, an atomic installation is uninstalled, and any other
 * leaves the release `failed`. CRDs and the namespace are kept.
 */
export async function install(context: OperationContext, request: InstallRequest): Promise<Deployed> {
  const { releaseName, namespace } = request;
  checkReleaseName(
    releaseName,
    (problem) => `release name check failed: release name ${JSON.stringify(releaseName)}: ${problem}`,
  );
  checkNamespace(namespace);
  return await runOperation(newWork(context, request), initialState(context, 'install', request), installTables);
}

async function start(state: OperationState, work: InstallWork, { signal }: StateTools): Promise<OperationState> {
  const { request } = work;
  const revisions = await readHistory(work, state, signal);
  const last = revisions.at(-1)?.release;
  if (request.planned) requireBase(request.planned, revisions);
  if (last && request.manifestSet === true) requireManifestSet(last);
  const isFree = last === undefined || canReplace(last, request);
  if (!isFree && request.upgrade === true)
    return { ...startUpgrade(state, revisions, work), verb: 'upgrade', step: 'load' };
  // as in Helm, a dry run does not need a free name
  if (!isFree && (request.dryRun !== true || request.preview === 'plan')) {
    throw new OperationError('release_exists', 'release name check failed: cannot reuse a name that is still in use');
  }
  const version = (last?.version ?? 0) + 1;
  const rest = { apply: applySettings(request, 'ssa'), ...(last && { replaced: last.version }) };
  return { ...state, revision: revisionState('install', version, rest) };
}

/** Whether a revision does not block its name (pkg/action/install.go: availableName). */
function canReplace({ info }: Release, { replace, upgrade }: InstallRequest): boolean {
  if (info.status === 'uninstalled') return replace === true || upgrade === true;
  return info.status === 'failed' && replace === true;
}

async function check(state: OperationState, work: InstallWork, tools: StateTools): Promise<OperationState> {
  const { context, request } = work;
  const { signal } = tools;
  installLabels(request.labels); // before anything changes
  if (isOffline(request)) {
    tools.skipped('the dry run does not use the cluster');
    return { ...state, step: phaseEnd };
  }
  const { namespace, releaseName: name } = state;
  const rendered = await renderedOf(work, state, signal);
  await requireFit(state, work, rendered, signal);
  const prefix = 'unable to build kubernetes objects from release manifest';
  await checkCustomKinds(work, await context.renderer.readObjects(rendered.manifest, prefix, signal), signal);
  const planning = planningContext(work);
  const objects = await resolveReleaseObjects(planning, rendered.manifest, namespace, { prefix, signal });
  const { takeOwnership } = request;
  const options = { prefix: 'unable to continue with install', signal, takeOwnership };
  await checkHookNames(context, rendered.hooks, signal);
  const hooks = request.noHooks === true ? [] : rendered.hooks;
  const changed = { objects, old: [], hooks, cluster: planning.cluster, signal };
  const adopted = await requireAccess(state, work, changed, () =>
    checkOwnership(planning.cluster, objects, { name, namespace }, options),
  );
  if (adopted.length > 0) checkApplySettings(revisionOf(state).apply);
  await previewRevision(state, work, { objects, old: [], adopted }, tools);
  return request.dryRun === true ? { ...state, step: phaseEnd } : withRevision(state, { adopted });
}

async function namespace(state: OperationState, work: InstallWork, tools: StateTools): Promise<OperationState> {
  const { context, request } = work;
  const { method } = revisionOf(state).apply;
  const options = { create: request.createNamespace ?? true, method };
  await ensureNamespace(context.cluster, state.namespace, options, tools);
  return state;
}

async function record(state: OperationState, work: InstallWork, tools: StateTools): Promise<OperationState> {
  const { namespace, releaseName: name } = state;
  const { version, apply } = revisionOf(state);
  tools.done(`revision ${version}`);
  const rendered = await renderedOf(work, state, tools.signal);
  const release = (deployedAt: string) => {
    const times = { first_deployed: deployedAt, last_deployed: deployedAt };
    const info = { ...times, description: 'Initial install underway', status: 'pending-install' as const };
    return newRevision({ name, namespace, version }, info, rendered, apply.method);
  };
  return await recordOwnRevision(state, work, tools, {
    release,
    labels: installLabels(work.request.labels),
    limit: 0,
    chunked: work.request.storage === 'chunked',
    isOwn: true,
    settleLast: () => supersedeReplaced(state, work, tools.signal),
  });
}

async function supersedeReplaced(state: OperationState, work: InstallWork, signal: AbortSignal): Promise<void> {
  const { replaced } = revisionOf(state);
  if (replaced === undefined) return;
  const revision = await storedRevision(work, state, replaced, signal);
  // as in Helm, a failed revision stays failed
  if (revision.release.info.status !== 'uninstalled') return;
  await supersede(work.context.storage, revision, signal, { description: 'superseded by new release' });
}

/** As in Helm, an installation that runs no hooks is undone without hooks. */
function undoRequest(request: InstallRequest): UninstallRequest {
  const { namespace, releaseName, noHooks = false, hookTimeout, logs = false } = request;
  return { namespace, releaseName, noHooks, ...(hookTimeout !== undefined && { hookTimeout }), logs };
}

/**
 * Leaves the objects that the installation has adopted. Throws `release_conflict` if the newest
 * revision is not that of the installation.
 */
async function startUndo(
  state: OperationState,
  work: Work<UninstallRequest>,
  tools: StateTools,
): Promise<OperationState> {
  const { adopted, deployedAt } = revisionOf(state);
  const next = withRevision(await startUninstall(state, work, tools), { spared: adopted, deployedAt });
  await ownRevision(work, next, tools.signal);
  return next;
}

async function outcome(state: OperationState, work: InstallWork): Promise<Deployed> {
  const { context, request } = work;
  const { namespace, releaseName: name } = state;
  throwFailure(state, work, {
    settle: notStoredText,
    fail: notStoredText,
    uninstall: (message, failure) =>
      failure === undefined
        ? `release ${name} failed, and has been uninstalled due to rollback-on-failure being set: ${message}`
        : `an error occurred while uninstalling the release. original install error: ${message}: ${failure.error.message}`,
  });
  const { chartSignature } = revisionOf(state);
  if (request.dryRun !== true) {
    return { release: (await ownRevision(work, state, context.abandon)).release, chartSignature };
  }
  const now = formatTime(context.host.now());
  const times = { first_deployed: now, last_deployed: now };
  const info = { ...times, description: dryRunDescription, status: 'pending-install' as const };
  const rendered = await renderedOf(work, state, context.signal);
  const { method } = revisionOf(state).apply;
  const release = newRevision({ name, namespace, version: 1 }, info, rendered, method);
  return { release, chartSignature, differences: await shownDifferences(work, release) };
}

export const resumeInstall = resume(installTables);

export const operation = operationOf('install_release', {
  request: deployRequest,
  run: install,
  resume: resumeInstall,
  answer: deployAnswer,
});
