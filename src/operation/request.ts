import type { Chart } from '../chart/chart.ts';
import type { ValueMap } from '../go/value.ts';
import type { PostRender, PostRenderStrategy } from '../render/manifest/post-render.ts';

/** Which release is meant. */
export interface ReleaseName {
  namespace: string;
  releaseName: string;
}

/** What an operation that waits can be told. */
interface WaitOptions {
  /** For the operation as a whole, in milliseconds. Undoing it has as long again. Default 5 minutes. */
  timeout?: number;
  /** Wait until all resources are ready; on uninstall, until they are gone. Default true. */
  wait?: boolean;
}

export interface DeployOptions extends WaitOptions {
  /** With `wait`: also until Jobs have completed. Default true. */
  waitForJobs?: boolean;
  /** Undo what was done where the operation fails: uninstall, or roll back to the last successful revision. Default true. */
  atomic?: boolean;
  /** Stands in the release in place of Helm's `Install complete` or `Upgrade complete`. */
  description?: string;
  /** Changes the manifests before they are stored and applied. A rollback takes what was stored, and asks nobody. Default none. */
  postRender?: PostRender;
  /** How {@link postRender} gets hooks. Default `combined`. */
  postRenderStrategy?: PostRenderStrategy;
}

export interface InstallRequest extends ReleaseName, DeployOptions {
  loadChart: (signal: AbortSignal) => Promise<Chart>;
  /** Absent: none. */
  values?: ValueMap;
  /** Default true. */
  createNamespace?: boolean;
  /** Upgrade where the release exists. Default false: it is an error then. */
  upgrade?: boolean;
}

export interface UpgradeRequest extends ReleaseName, DeployOptions {
  loadChart: (signal: AbortSignal) => Promise<Chart>;
  /** Absent or empty: the values of the revision that is deployed. */
  values?: ValueMap;
  /** Delete what a failed upgrade created. Default false. */
  cleanupOnFail?: boolean;
  /** How many revisions to keep; 0 keeps all. Default 10. */
  historyLimit?: number;
}

export interface UninstallRequest extends ReleaseName, WaitOptions {
  /** Keep the release's revisions, the last one as `uninstalled`. Default false. */
  keepHistory?: boolean;
  description?: string;
}

export interface GetRequest extends ReleaseName {
  /** Default: the highest revision. */
  version?: number;
}

export interface ListRequest {
  /** Absent: of all namespaces. */
  namespace?: string;
}

export interface DeploymentInfoRequest {
  namespace: string;
  name: string;
}
