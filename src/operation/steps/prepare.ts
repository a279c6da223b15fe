import type { ChartContent, ChartSignature } from '../../chart/load/chart-content.ts';
import type { ClusterCapabilities } from '../../objects/cluster.ts';
import type { Release } from '../../release/release.ts';
import { valueWarningText } from '../../render/notice.ts';
import type {
  CrdManifest,
  ReleaseInput,
  ReleaseSettings,
  ReleaseValues,
  RenderedRelease,
} from '../../render/release-renderer.ts';
import type { ReleaseFacts } from '../../render/scope/chart-templates.ts';
import type { CrdPolicy } from '../apply/crd-strategy.ts';
import { warningReporter } from '../apply/warnings.ts';
import { withoutManifestFiles } from '../manifests/manifest-set.ts';
import type { PlanToPerform } from '../plan/planned-change.ts';
import type { UpgradeRequest } from '../request.ts';
import { type OperationState, revisionOf, withRevision } from '../state/operation-state.ts';
import { storedRevision, type Work } from '../work.ts';
import { requireAllowed } from './allowed-objects.ts';
import { capabilitiesWith, type CrdOptions, definedApiVersions, installCrds } from './crds.ts';
import { withImageRules } from './image-rules.ts';
import { clusterLookup, hostLookup } from './lookup.ts';
import { requireCrdAccess } from './needed-access.ts';
import { requireFit } from './new-revision.ts';
import { presentKinds } from './present-kinds.ts';
import { installValues, upgradeValues } from './release-values.ts';
import { isOffline, offlineCapabilities, renderSettings } from './render-settings.ts';
import type { StateTools, Step } from './step.ts';
import { readSources } from './values-sources.ts';

type ChartWork = Work<UpgradeRequest>;

/**
 * The steps before the first change to the release: they load the chart, install its CRDs if the
 * release is new, and render it.
 */
export const prepareSteps: readonly Step<UpgradeRequest>[] = [
  { id: 'load', name: 'load', run: load },
  { id: 'crds', name: 'crds', run: crds },
  { id: 'capabilities', name: 'capabilities', run: readCapabilities },
  { id: 'render', name: 'render', run: render },
];

/** Returns the rendered chart. Renders it if this process has not. */
export async function renderedOf(
  work: ChartWork,
  state: OperationState,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  const planned = work.request.planned?.release;
  return (work.cache.rendered ??=
    planned === undefined ? await renderWithPresentKinds(work, state, signal) : renderedAs(planned));
}

/**
 * Renders a chart, and once more if it depends on what the cluster serves, or fails, and the
 * cluster serves something else by now than the recent capabilities say.
 */
async function renderWithPresentKinds(
  work: ChartWork,
  state: OperationState,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  const recent = await capabilitiesOf(work, state, signal);
  let rendered: RenderedRelease | undefined;
  let failure: unknown;
  try {
    rendered = await renderWith(recent, work, state, signal);
  } catch (error) {
    signal.throwIfAborted();
    failure = error;
  }
  if (rendered?.usesCapabilities !== false && recent !== offlineCapabilities) {
    const present = await presentKinds(work, signal);
    if (present !== recent) return await renderWith(present, work, state, signal);
  }
  if (rendered === undefined) throw failure;
  return rendered;
}

async function renderWith(
  capabilities: ClusterCapabilities,
  work: ChartWork,
  state: OperationState,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  const { context, request } = work;
  return await renderChart(
    work,
    {
      chart: await chartOf(work, signal),
      values: await valuesOf(work, state, signal),
      release: factsOf(state),
      capabilities,
      ...(!isOffline(request) && {
        lookup: clusterLookup(context, { namespace: state.namespace, unserved: newKindsOf(work) }, signal),
      }),
      resolveHost: hostLookup(context, request, signal),
      postRender: request.postRender,
      postRenderStrategy: request.postRenderStrategy,
      ...renderSettings(request),
    },
    signal,
  );
}

async function renderChart(
  { context, request }: ChartWork,
  task: ReleaseInput & ReleaseSettings,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  const { secretPaths } = task.values;
  const plain = await context.renderer.render(task, signal);
  const given = await withImageRules(context, plain, task.release.namespace, signal);
  const rendered = secretPaths === undefined ? given : { ...given, secretPaths };
  return request.manifestSet === true ? withoutManifestFiles(rendered) : rendered;
}

/** Returns a revision as it was rendered. */
function renderedAs(release: Release): RenderedRelease {
  const { chart, config = {}, manifest, hooks = [], info, secret_values: secretPaths } = release;
  const { notes = '' } = info;
  const rendered = { chart, config, manifest, manifestCount: 0, hooks, notes, warnings: [], usesCapabilities: false };
  return secretPaths === undefined ? rendered : { ...rendered, secretPaths };
}

async function load(state: OperationState, work: ChartWork, tools: StateTools): Promise<OperationState> {
  if (isPlanned(work, tools)) return withSignature(state, work.request.planned?.chartSignature);
  const { name, version, signature } = await chartOf(work, tools.signal);
  tools.done(`${name} ${version}${signature === undefined ? '' : `, signed by ${signature.by}`}`);
  return withSignature(state, signature);
}

function withSignature(state: OperationState, signature: ChartSignature | undefined): OperationState {
  return signature === undefined ? state : withRevision(state, { chartSignature: signature });
}

/** Whether the operation performs a plan, which has the rendered chart. */
function isPlanned({ request }: ChartWork, tools: StateTools): boolean {
  if (request.planned === undefined) return false;
  tools.skipped('the plan has the rendered chart');
  return true;
}

async function crds(state: OperationState, work: ChartWork, tools: StateTools): Promise<OperationState> {
  const { context, request, cache } = work;
  if (request.planned !== undefined) return await installPlannedCrds(state, work, request.planned, tools);
  const { cluster, renderer } = context;
  const { signal } = tools;
  const chart = await chartOf(work, signal);
  const values = await valuesOf(work, state, signal);
  const release = factsOf(state);
  const policy = crdPolicyOf(work, state);
  cache.newApiVersions = [];
  if (policy === 'skip') {
    tools.skipped(release.isInstall ? 'not requested' : 'upgrades do not change CRDs');
    return state;
  }
  const files = await renderer.crds(chart, values, signal);
  cache.crds = files;
  if (files.length === 0) {
    tools.skipped('the chart has no CRDs');
  } else if (request.dryRun === true) {
    tools.skipped('a dry run installs no CRDs');
  } else {
    // a first render, so that none are installed if a template fails or the release is too large
    const apiVersions = definedApiVersions(files);
    const capabilities = withApiVersions(await cluster.capabilities(signal), apiVersions);
    const lookup = clusterLookup(context, { namespace: state.namespace, unserved: new Set(apiVersions) }, signal);
    const resolveHost = hostLookup(context, request, signal);
    const settings = { capabilities, lookup, resolveHost, ...renderSettings(request) };
    const rendered = await renderChart(work, { chart, values, release, ...settings }, signal);
    cache.rehearsed = rendered;
    await requireFit(state, work, rendered, signal);
    const { manifest, hooks } = rendered;
    await requireAllowed(context, { manifest, hooks, crds: files, namespace: state.namespace }, signal);
    await requireCrdAccess(context, signal);
    cache.newApiVersions = await applyCrds(state, work, { files, policy }, tools);
  }
  return state;
}

async function installPlannedCrds(
  state: OperationState,
  work: ChartWork,
  { crds: files, release }: PlanToPerform,
  tools: StateTools,
): Promise<OperationState> {
  const policy = crdPolicyOf(work, state);
  if (files.length === 0 || policy === 'skip') tools.skipped('the plan has no CRDs');
  else {
    const { manifest = '', hooks = [] } = release ?? {};
    await requireAllowed(work.context, { manifest, hooks, crds: files, namespace: state.namespace }, tools.signal);
    await requireCrdAccess(work.context, tools.signal);
    await applyCrds(state, work, { files, policy }, tools);
  }
  return state;
}

/** Returns the API versions that the CRDs serve. */
async function applyCrds(
  state: OperationState,
  { context }: ChartWork,
  { files, policy }: { files: readonly CrdManifest[]; policy: CrdOptions['policy'] },
  tools: StateTools,
): Promise<string[]> {
  const options = { namespace: state.namespace, policy, settings: revisionOf(state).apply };
  const installed = await installCrds(context, files, options, tools);
  if (installed.count > 0) tools.done(`${installed.count} installed`);
  else tools.skipped('all exist already');
  return installed.apiVersions;
}

/** Returns the kinds that a plan expects and the cluster may not have yet. */
function newKindsOf({ request, cache }: ChartWork): Set<string> {
  return new Set(request.preview === 'plan' ? definedApiVersions(cache.crds ?? []) : []);
}

/** As in Helm, an installation applies CRDs, and an upgrade leaves them. */
function crdPolicyOf({ request }: ChartWork, state: OperationState): 'apply' | CrdPolicy {
  return request.crds ?? (factsOf(state).isInstall ? 'apply' : 'skip');
}

async function readCapabilities(state: OperationState, work: ChartWork, tools: StateTools): Promise<OperationState> {
  if (isPlanned(work, tools)) return state;
  const { version } = await capabilitiesOf(work, state, tools.signal);
  tools.done(`Kubernetes ${version.gitVersion}`);
  return state;
}

async function render(state: OperationState, work: ChartWork, tools: StateTools): Promise<OperationState> {
  if (isPlanned(work, tools)) return state;
  const { manifestCount, hooks, warnings } = await renderedOf(work, state, tools.signal);
  const report = warningReporter((message) => tools.report({ message }));
  for (const warning of warnings) {
    work.context.onValueWarning?.(warning);
    report(withoutValue(valueWarningText(warning)));
  }
  tools.done(`${manifestCount} manifests, ${hooks.length} hooks`);
  return state;
}

/** Cuts the value off that a warning ends with: it may be a secret. */
function withoutValue(text: string): string {
  return text.split(' (', 1)[0] ?? '';
}

async function chartOf({ cache, request }: ChartWork, signal: AbortSignal): Promise<ChartContent> {
  return (cache.chart ??= await request.loadChart(signal));
}

/**
 * Returns the capabilities that the chart is rendered with first: recent ones, unless CRDs were
 * installed for this release.
 */
async function capabilitiesOf(
  work: ChartWork,
  state: OperationState,
  signal: AbortSignal,
): Promise<ClusterCapabilities> {
  const { context, cache, request } = work;
  if (isOffline(request) && factsOf(state).isInstall) return offlineCapabilities;
  if (cache.capabilities) return cache.capabilities;
  if (request.preview === 'plan' && cache.crds !== undefined) {
    // the operation itself applies them before it renders
    const present = await context.cluster.capabilities(signal);
    cache.hasPresentKinds = true;
    return (cache.capabilities = withApiVersions(present, definedApiVersions(cache.crds)));
  }
  const apiVersions = await newApiVersionsOf(work, state, signal);
  if (apiVersions.length === 0) return (cache.capabilities = await context.cluster.recentCapabilities(signal));
  cache.hasPresentKinds = true;
  return (cache.capabilities = await capabilitiesWith(context.cluster, apiVersions, signal));
}

/** Returns the API versions of the CRDs that were installed for this release. */
async function newApiVersionsOf(
  work: ChartWork,
  state: OperationState,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { context, request, cache } = work;
  if (cache.newApiVersions) return cache.newApiVersions;
  if (crdPolicyOf(work, state) === 'skip' || request.dryRun === true) return [];
  const values = await valuesOf(work, state, signal);
  return definedApiVersions(await context.renderer.crds(await chartOf(work, signal), values, signal));
}

/** An upgrade reuses the values of the revision that it starts from. */
async function valuesOf(work: ChartWork, state: OperationState, signal: AbortSignal): Promise<ReleaseValues> {
  const { action, baselines } = revisionOf(state);
  const [baseline] = baselines;
  const { namespace, releaseName } = state;
  const given = { ...work.request, namespace, releaseName };
  const sources = (work.cache.sources ??= await readSources(work.context, given, signal));
  if (action !== 'upgrade' || baseline === undefined) return installValues(work.request, sources);
  const { release } = await storedRevision(work, state, baseline, signal);
  return upgradeValues(work.request, release, sources);
}

/** As in Helm, an installation is always revision 1 to templates. */
function factsOf(state: OperationState): ReleaseFacts {
  const { action, version } = revisionOf(state);
  const isInstall = action === 'install';
  const { releaseName: name, namespace } = state;
  return { name, namespace, revision: isInstall ? 1 : version, isInstall, isUpgrade: !isInstall };
}

function withApiVersions(capabilities: ClusterCapabilities, apiVersions: readonly string[]): ClusterCapabilities {
  return { ...capabilities, apiVersions: [...new Set([...capabilities.apiVersions, ...apiVersions])] };
}
