import type { ChartContent } from '../chart/load/chart-content.ts';
import type { ChartReference } from '../policy/chart-reference.ts';
import type { CommandAnswers, CommandPayloads, CommandType } from '../protocol/commands/index.ts';
import type { WaitStrategy } from '../readiness/index.ts';
import type { ReleaseStorage } from '../release/storage/storage.ts';
import type { PostRender, PostRenderStrategy } from '../render/manifest/post-render.ts';
import type { PlanToPerform } from './plan/planned-change.ts';
import type { SettleOptions } from './wait/judge.ts';

/**
 * The payload of a command, as the table in `protocol/commands/` describes it. Times are in
 * milliseconds.
 */
export type RequestOf<Type extends CommandType> = Defined<CommandPayloads[Type]>;

/** The fields of a command's result. */
export type AnswerOf<Type extends CommandType> = CommandAnswers[Type];

/** Fields without those that are undefined, which cannot be changed. */
type Defined<Fields> = { readonly [Name in keyof Fields]: Unchanged<Exclude<Fields[Name], undefined>> };

type Unchanged<Value> = Value extends ReadonlyArray<infer Item> ? readonly Item[] : Readonly<Value>;

/** The fields that say where a chart comes from, in place of which a request has the chart. */
export const chartFields = [
  ...(['repoUrl', 'repoUserName', 'repoPassword', 'credentialsFrom', 'sealedCredentials'] as const),
  ...(['chartName', 'chartVersion'] as const),
  ...(['dependencyUpdate', 'chartArchive', 'chartDigest', 'chartUpload', 'chartProvenance', 'verify'] as const),
] as const;

type ChartField = (typeof chartFields)[number];

/** Fields with a form that only packets have, and fields that are for the answer. */
type PacketField = 'wait' | 'settle' | 'dryRun' | 'postRenderer' | 'hideNotes' | 'disableOpenapiValidation';

/** The fields of a command that its operation has as they are. */
type Options<Type extends CommandType> = Omit<RequestOf<Type>, ChartField | PacketField>;

/** The fields that say where a chart comes from. */
export interface ChartPlace
  extends Pick<RequestOf<'install_release'>, ChartField>, Partial<Pick<RequestOf<'install_release'>, ReleaseField>> {}

/** The fields that say for which release sealed credentials are. */
type ReleaseField = 'namespace' | 'releaseName';

/** For what an operation waits. */
interface WaitOptions {
  /** Waits until all resources are ready or, on uninstall, deleted. Default: true. */
  wait?: boolean;
  /** Helm's rules for when resources are ready. Default: `watcher`. */
  waitStrategy?: WaitStrategy;
}

/** Options for previews of what an operation would do. */
export interface PreviewRequest {
  /** Returns what the operation would deploy or delete, and changes nothing. Default: false. */
  dryRun?: boolean;
  /**
   * With `dryRun`: finds out by dry runs what would happen to each object. `plan` also requires
   * what only the operation itself does, and sees the kinds of the chart's CRDs. Default: no.
   */
  preview?: 'dry-run' | 'plan';
  /** The plan to perform. Its content takes the place of chart and values. Default: none. */
  planned?: PlanToPerform;
  /** Where the chart of a plan comes from, for the policy. Default: it has none. */
  chartFrom?: ChartReference;
}

/** A chart, which is loaded when an operation asks for it. */
interface ChartToLoad {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
}

/** A release that is a set of manifests. */
export interface SetRequest {
  /** Refuses releases of charts. Default: false. */
  manifestSet?: boolean;
}

/** A chart to render and deploy. */
interface ChartToDeploy extends ChartToLoad, SetRequest {
  /**
   * Deletes the objects that only the revision before has. Otherwise they stay, without a release.
   * Undoing an operation always deletes them. Default: true.
   */
  prune?: boolean;
  /**
   * Changes the manifests before they are stored and applied. Not used for rollbacks. Default:
   * none.
   */
  postRender?: PostRender;
  /** How {@link postRender} gets hooks. Default: `combined`. */
  postRenderStrategy?: PostRenderStrategy;
  /**
   * With {@link dryRun}, lookups find nothing, and an installation does not use the cluster: it has
   * the capabilities that Helm has offline, and its objects are not checked. Default: false.
   */
  offline?: boolean;
}

export type InstallRequest = Options<'install_release'> & WaitOptions & SettleOptions & PreviewRequest & ChartToDeploy;

export type UpgradeRequest = Options<'upgrade_release'> & WaitOptions & SettleOptions & PreviewRequest & ChartToDeploy;

/** The options that installations and upgrades share. */
export type DeployOptions = Omit<UpgradeRequest, 'namespace' | 'releaseName' | 'loadChart'>;

export type RollbackRequest = Omit<Options<'rollback_release'>, 'ifBusy'> &
  WaitOptions &
  SettleOptions &
  PreviewRequest;

export type UninstallRequest = Omit<Options<'uninstall_release'>, 'ifBusy'> & WaitOptions & PreviewRequest & SetRequest;

export type TestRequest = RequestOf<'test_release'>;

export type TemplateRequest = Options<'template_release'> & ChartToLoad;

export type DiffRequest = Options<'diff_release'> & ChartToLoad;

/** A chart to render for a release, without changing it. */
export type RenderChartRequest = Pick<TemplateRequest, keyof TemplateRequest & keyof DiffRequest> & {
  noHooks?: boolean;
};

export type GetRequest = RequestOf<'get_release'>;

export type StatusRequest = RequestOf<'release_status'>;

export type WatchRequest = RequestOf<'watch_release'>;

export type ListRequest = Omit<RequestOf<'list_releases'>, 'helm2' | 'tillerNamespace'> & {
  /** Where the releases are stored. Default: where operations store them. */
  storage?: Pick<ReleaseStorage, 'query'>;
};

/** How an upgrade uses the values of the deployed revision. The first one that is true counts. */
export type ReuseOptions = Pick<UpgradeRequest, 'resetValues' | 'reuseValues' | 'resetThenReuseValues'>;

/** Values of a command. If it gives none, an upgrade uses those of the deployed revision. */
export type ValuesRequest = Pick<UpgradeRequest, 'values' | 'set' | 'valuesFrom' | 'sealedValues'>;

/**
 * Options for a release whose newest revision is `pending-*` or `uninstalling`. As in Helm,
 * rollbacks and uninstallations run in any case.
 */
export type RecoverOptions = Pick<UpgradeRequest, 'recover' | 'recoverAfter'>;
