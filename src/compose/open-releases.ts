import type { KubeConfig } from '../cli/helm/kubeconfig.ts';
import type { Releases } from '../cli/helm/release/releases.ts';
import type { HelmSettings } from '../cli/helm/settings.ts';
import { messageOf } from '../errors/index.ts';
import { type StorageDriver, storageDrivers } from '../release/storage/drivers.ts';
import type { ValueWarning } from '../render/notice.ts';
import { clusterReleases } from './cluster-releases.ts';
import { helmCluster } from './helm-cluster.ts';

/**
 * Opens the releases of the cluster that Helm's settings name, in the storage of `HELM_DRIVER`.
 * `onValueWarning` receives what Helm logs while it merges values.
 */
export async function openReleases(
  env: Readonly<Record<string, string | undefined>>,
  settings: HelmSettings,
  kubeConfig: () => Promise<KubeConfig>,
  onValueWarning: (warning: ValueWarning) => void,
): Promise<Releases> {
  const storageDriver = driverOf(env['HELM_DRIVER']);
  try {
    const cluster = await helmCluster(env, settings, kubeConfig);
    return clusterReleases({ cluster, proxyEnv: env, storageDriver, progress: () => undefined, onValueWarning });
  } catch (cause) {
    throw new Error(`kubernetes cluster unreachable: ${messageOf(cause)}`, { cause });
  }
}

/** Returns the driver of a name as helm reads it: in the singular or the plural. */
function driverOf(name = ''): StorageDriver {
  const driver = storageDrivers.find((known) => name === known || name === `${known}s`);
  if (driver !== undefined) return driver;
  if (name === '') return 'secret';
  throw new Error(`helm-agent stores releases in Secrets or ConfigMaps, not in HELM_DRIVER=${name}`);
}
