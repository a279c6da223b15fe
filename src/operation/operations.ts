import type { KubeObject } from '../objects/object.ts';
import type { Release } from '../release/release.ts';
import type { OperationContext } from './context.ts';
import { install } from './install.ts';
import { list } from './list.ts';
import { deploymentInfo, get, releaseHistory, type StoredRelease } from './query.ts';
import { releaseStatus, type StatusOfRelease } from './release-status.ts';
import type {
  DeploymentInfoRequest,
  GetRequest,
  HistoryRequest,
  InstallRequest,
  ListRequest,
  RollbackRequest,
  StatusRequest,
  UninstallRequest,
  UpgradeRequest,
} from './request.ts';
import { rollback } from './rollback.ts';
import { uninstall, type Uninstalled } from './uninstall.ts';
import { upgrade } from './upgrade.ts';

/** Operations on releases. */
export interface Operations {
  install(context: OperationContext, request: InstallRequest): Promise<Release>;
  upgrade(context: OperationContext, request: UpgradeRequest): Promise<Release>;
  rollback(context: OperationContext, request: RollbackRequest): Promise<Release>;
  uninstall(context: OperationContext, request: UninstallRequest): Promise<Uninstalled>;
  /** Returns the highest revision of each release. */
  list(context: OperationContext, request: ListRequest): Promise<Release[]>;
  get(context: OperationContext, request: GetRequest): Promise<StoredRelease>;
  /** Returns the revisions of a release, the oldest first. */
  history(context: OperationContext, request: HistoryRequest): Promise<Release[]>;
  status(context: OperationContext, request: StatusRequest): Promise<StatusOfRelease>;
  deploymentInfo(context: OperationContext, request: DeploymentInfoRequest): Promise<KubeObject>;
}

export const operations: Operations = {
  install,
  upgrade,
  rollback,
  uninstall,
  list,
  get,
  history: releaseHistory,
  status: releaseStatus,
  deploymentInfo,
};
