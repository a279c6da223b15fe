import type { ApplyOptions } from './apply/apply-settings.ts';
import type { CrdPolicy } from './apply/crd-strategy.ts';
import type { StepName } from './progress.ts';
import type { PlanToPerform } from './plan/planned-change.ts';
import type { ChartContent } from '../chart/load/chart-content.ts';
import type { ReleaseStatus } from '../release/status.ts';
import type { ReleaseStorage } from '../release/storage/storage.ts';
import type { SetValue } from '../render/release-renderer.ts';
import type { SettleOptions } from './wait/settling.ts';
import type { PostRender, PostRenderStrategy } from '../render/manifest/post-render.ts';
import type { OwnRule, WaitStrategy } from '../readiness/status.ts';
import type { FailFastOptions } from './wait/fail-fast-options.ts';

/** Identifies a release. */
interface ReleaseName {
  namespace: string;
  releaseName: string;
}

/** Time limits of steps, in milliseconds. */
export type StepTimeouts = Readonly<Partial<Record<StepName, number>>>;

interface WaitOptions extends FailFastOptions {
  /**
   * Time limit of the operation, in milliseconds. Undoing it has the same limit. Default: 300,000
   * (5 minutes).
   */
  timeout?: number;
  /** Time limits of its steps, within {@link timeout}. Default: none. */
  stepTimeouts?: StepTimeouts;
  /**
   * Longest time without progress while waiting for readiness, in milliseconds. Default: no limit.
   */
  progressDeadline?: number;
  /** Waits until all resources are ready or, on uninstall, deleted. Default: true. */
  wait?: boolean;
  /** Helm's rules for when resources are ready. Default: `watcher`. */
  waitStrategy?: WaitStrategy;
  /**
   * Time limit of each hook, in milliseconds. Its annotation `helm-agent/hook-timeout` takes
   * precedence, and {@link timeout} limits both. Default: none.
   */
  hookTimeout?: number;
  /**
   * Reports the lines that the containers of hooks, and of Jobs that it waits for, write. Default:
   * false.
   */
  logs?: boolean;
}

/** Options for previews of what an operation would do. */
export interface PreviewRequest {
  /**
   * With `dryRun`: finds out by dry runs what would happen to each object. `plan` also requires
   * what only the operation itself does, and sees the kinds of the chart's CRDs. Default: no.
   */
  preview?: 'dry-run' | 'plan';
  /** The plan to perform. Its content takes the place of chart and values. Default: none. */
  planned?: PlanToPerform;
}

export interface DeployOptions extends WaitOptions, SettleOptions, ApplyOptions, PreviewRequest {
  /** With `wait`, also waits until Jobs are complete. Default: true. */
  waitForJobs?: boolean;
  /** Rules for when resources are ready, in place of those of their kinds. Default: none. */
  readiness?: readonly OwnRule[];
  /**
   * Undoes a failed operation: uninstalls a new release, or rolls back to the last successful
   * revision. Default: true.
   */
  atomic?: boolean;
  /** Description of the release. Default: `Install complete` or `Upgrade complete`. */
  description?: string;
  /**
   * Changes the manifests before they are stored and applied. Not used for rollbacks. Default:
   * none.
   */
  postRender?: PostRender;
  /** How {@link postRender} gets hooks. Default: `combined`. */
  postRenderStrategy?: PostRenderStrategy;
  /**
   * Policy for the CRDs of the chart. Default: an installation applies them as all objects, and an
   * upgrade leaves them.
   */
  crds?: CrdPolicy;
  /** Does not run hooks. Default: false. */
  noHooks?: boolean;
  /**
   * `chunked` stores a revision that does not fit in one Secret in several, and so do rollbacks to
   * it. Default: that is an error.
   */
  storage?: 'chunked';
  /**
   * Returns the revision that would be deployed, and changes nothing. Reads the cluster, so that
   * `lookup` and the check of owners work. Default: false.
   */
  dryRun?: boolean;
  /**
   * With {@link dryRun}, lookups find nothing, and an installation does not use the cluster: it has
   * the capabilities that Helm has offline, and its objects are not checked. Default: false.
   */
  offline?: boolean;
  /** With {@link dryRun}, leaves Secrets out of the manifest. Default: false. */
  hideSecret?: boolean;
  /** Does not check values by values.schema.json. Default: false. */
  skipSchemaValidation?: boolean;
  /** Adds the notes of subcharts. Default: false. */
  renderSubchartNotes?: boolean;
  /** Lets templates resolve host names. Default: false. */
  enableDns?: boolean;
  /**
   * Labels for the stored revision. An upgrade adds them to those of the revision before, and
   * removes those with the value `null`. Default: none.
   */
  labels?: Readonly<Record<string, string>>;
}

interface CleanupOptions {
  /** Deletes the objects that a failed operation has created. Default: false. */
  cleanupOnFail?: boolean;
  /** Number of revisions to keep. 0 and less keeps all. Default: 10. */
  historyLimit?: number;
}

/** Options for a release whose newest revision is `pending-*` or `uninstalling`. */
export interface RecoverOptions {
  /**
   * Takes the release over if its client has probably ended. Default: false, so that an upgrade
   * fails. As in Helm, rollbacks and uninstallations run in any case.
   */
  recover?: boolean;
  /**
   * Time without a write to the revision after which its client counts as ended, in milliseconds.
   * Default: 3,600,000 (1 hour).
   */
  recoverAfter?: number;
}

/** Values of a command. If it gives none, an upgrade uses those of the deployed revision. */
export interface ValuesRequest {
  /** Values as YAML texts; later ones take precedence. Default: none. */
  values?: string | readonly string[];
  /** Values set over {@link values}. Default: none. */
  set?: readonly SetValue[];
}

/** How an upgrade uses the values of the deployed revision. The first one that is true counts. */
export interface ReuseOptions {
  /** Uses only the values of the command. */
  resetValues?: boolean;
  /** Uses the values and the defaults of the revision, under the values of the command. */
  reuseValues?: boolean;
  /** Uses the values of the revision, under the values of the command. */
  resetThenReuseValues?: boolean;
}

export interface InstallRequest
  extends ReleaseName, DeployOptions, CleanupOptions, ValuesRequest, ReuseOptions, RecoverOptions, BusyOptions {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
  /** With {@link upgrade}: as of an upgrade. */
  unchanged?: 'skip';
  /** Default: true. */
  createNamespace?: boolean;
  /**
   * Installs over a release that was uninstalled with its history kept, which {@link upgrade} does
   * too, and over a failed one. Default: false.
   */
  replace?: boolean;
  /** Upgrades the release if it exists, instead of failing. Default: false. */
  upgrade?: boolean;
}

/** Options for a release on which another operation of the agent runs. */
interface BusyOptions {
  /**
   * `supersede`: objects of failed revisions after the deployed one are part of the release, too,
   * because the operation that deployed them was stopped for this one. All others are for the
   * router. Default: `queue`.
   */
  ifBusy?: 'queue' | 'supersede' | 'reject';
}

export interface UpgradeRequest
  extends ReleaseName, DeployOptions, CleanupOptions, ValuesRequest, ReuseOptions, RecoverOptions, BusyOptions {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
  /**
   * `skip` adds no revision if the deployed one has the same content and the live objects are as it
   * says. Default: a revision is added in any case.
   */
  unchanged?: 'skip';
}

export interface RollbackRequest
  extends
    ReleaseName,
    WaitOptions,
    SettleOptions,
    Omit<ApplyOptions, 'takeOwnership'>,
    PreviewRequest,
    Pick<DeployOptions, 'waitForJobs' | 'noHooks' | 'readiness'>,
    CleanupOptions,
    RecoverOptions {
  /** The revision to roll back to. Default: the one before the newest. */
  version?: number;
  /** Returns the revision that would be deployed, and changes nothing. Default: false. */
  dryRun?: boolean;
}

export interface UninstallRequest
  extends ReleaseName, WaitOptions, RecoverOptions, PreviewRequest, Pick<DeployOptions, 'noHooks'> {
  /** Returns the release, and changes nothing. Default: false. */
  dryRun?: boolean;
  /** Succeeds if there is no such release. Default: false. */
  ignoreNotFound?: boolean;
  /** Treatment of the dependents of deleted objects, such as pods. Default: `background`. */
  cascade?: 'background' | 'foreground' | 'orphan';
  /** Keeps the revisions of the release, the last one as `uninstalled`. Default: false. */
  keepHistory?: boolean;
  description?: string;
}

export interface TestRequest extends ReleaseName, Pick<WaitOptions, 'timeout'> {
  /** Names of the tests to run. Default: all. */
  include?: readonly string[];
  /** Names of tests not to run. Default: none. */
  exclude?: readonly string[];
  /** Reports the logs of the tests while they run, and returns them. Default: false. */
  logs?: boolean;
}

/** A chart to render for a release, without changing it. */
export interface RenderChartRequest
  extends
    ReleaseName,
    ValuesRequest,
    Pick<WaitOptions, 'timeout'>,
    Pick<DeployOptions, 'enableDns' | 'noHooks' | 'renderSubchartNotes' | 'skipSchemaValidation'> {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
}

export interface TemplateRequest extends RenderChartRequest {
  /** Renders an upgrade instead of an installation. Default: false. */
  isUpgrade?: boolean;
  /** Leaves Secrets out. Default: false. */
  hideSecret?: boolean;
  /** Leaves test hooks out. Default: false. */
  skipTests?: boolean;
  /** Puts the files of crds/ folders first, as they are. Default: false. */
  includeCrds?: boolean;
}

export interface DiffRequest extends RenderChartRequest, ReuseOptions {
  /**
   * `stored`: compares with the manifest of the deployed revision. `live`: compares the objects in
   * the cluster with what a dry run of the API server returns. Default: `stored`.
   */
  against?: 'stored' | 'live';
}

export interface GetRequest extends ReleaseName {
  /** Default: the highest revision. */
  version?: number;
  /** Also returns the chart's defaults under the user's values. Default: false. */
  allValues?: boolean;
}

export interface HistoryRequest extends ReleaseName {
  /** Largest number of revisions to return. Default: 256. */
  max?: number;
}

export interface StatusRequest extends Pick<GetRequest, keyof ReleaseName | 'version'> {
  /** Rules for when resources are ready, in place of those of their kinds. Default: none. */
  readiness?: readonly OwnRule[];
}

export interface WatchRequest extends StatusRequest {
  /** Time after which the watch ends, in milliseconds. Default: 86,400,000 (24 hours). */
  timeout?: number;
}

export interface ListRequest {
  /** Where the releases are stored. Default: where operations store them. */
  storage?: Pick<ReleaseStorage, 'query'>;
  /** Default: all namespaces. */
  namespace?: string;
  /** Regular expression (Go's syntax) that matches the names. Default: all names. */
  filter?: string;
  /** Label selector for the stored revisions. Default: all. */
  selector?: string;
  /** Statuses of the newest revision. Only `superseded`: all superseded revisions. Default: all. */
  statuses?: readonly ReleaseStatus[];
  /** Default: by namespace and name. */
  sort?: 'name' | 'date';
  /** Reverses the order. Default: false. */
  reverse?: boolean;
  /** Number of releases to leave out at the start. Default: 0. */
  offset?: number;
  /** Largest number of releases to return. Default: all. */
  max?: number;
}

export interface DeploymentInfoRequest {
  namespace: string;
  name: string;
}
