import type { KubeObject } from '../objects/object.ts';
import type { Release } from '../release/release.ts';
import type { OperationContext } from './context.ts';
import { install } from './install.ts';
import { deploymentInfo, get, list } from './query.ts';
import type {
  DeploymentInfoRequest,
  GetRequest,
  InstallRequest,
  ListRequest,
  UninstallRequest,
  UpgradeRequest,
} from './request.ts';
import { uninstall, type Uninstalled } from './uninstall.ts';
import { upgrade } from './upgrade.ts';

/** Operations on releases. */
export interface Operations {
  install(context: OperationContext, request: InstallRequest): Promise<Release>;
  upgrade(context: OperationContext, request: UpgradeRequest): Promise<Release>;
  uninstall(context: OperationContext, request: UninstallRequest): Promise<Uninstalled>;
  /** Returns the highest revision of each release, sorted by namespace and name. */
  list(context: OperationContext, request: ListRequest): Promise<Release[]>;
  get(context: OperationContext, request: GetRequest): Promise<Release>;
  deploymentInfo(context: OperationContext, request: DeploymentInfoRequest): Promise<KubeObject>;
}

export const operations: Operations = { install, upgrade, uninstall, list, get, deploymentInfo };
