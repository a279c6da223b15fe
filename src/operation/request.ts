import type { ChartContent } from '../chart/load/chart-content.ts';
import type { PostRender, PostRenderStrategy } from '../render/manifest/post-render.ts';

/** Identifies a release. */
export interface ReleaseName {
  namespace: string;
  releaseName: string;
}

interface WaitOptions {
  /**
   * Time limit of the operation, in milliseconds. Undoing it has the same limit. Default: 300,000
   * (5 minutes).
   */
  timeout?: number;
  /** Waits until all resources are ready or, on uninstall, deleted. Default: true. */
  wait?: boolean;
}

export interface DeployOptions extends WaitOptions {
  /** With `wait`, also waits until Jobs are complete. Default: true. */
  waitForJobs?: boolean;
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
}

export interface InstallRequest extends ReleaseName, DeployOptions {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
  /** Values as YAML text. Default: none. */
  values?: string;
  /** Default: true. */
  createNamespace?: boolean;
  /** Upgrades the release if it exists, instead of failing. Default: false. */
  upgrade?: boolean;
}

export interface UpgradeRequest extends ReleaseName, DeployOptions {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
  /** Values as YAML text. Default, also if it has none: those of the deployed revision. */
  values?: string;
  /** Deletes the objects that a failed upgrade has created. Default: false. */
  cleanupOnFail?: boolean;
  /** Number of revisions to keep. 0 keeps all. Default: 10. */
  historyLimit?: number;
}

export interface UninstallRequest extends ReleaseName, WaitOptions {
  /** Keeps the revisions of the release, the last one as `uninstalled`. Default: false. */
  keepHistory?: boolean;
  description?: string;
}

export interface GetRequest extends ReleaseName {
  /** Default: the highest revision. */
  version?: number;
}

export interface ListRequest {
  /** Default: all namespaces. */
  namespace?: string;
}

export interface DeploymentInfoRequest {
  namespace: string;
  name: string;
}
