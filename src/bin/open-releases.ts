import type { Releases } from '../cli/helm/release/releases.ts';
import type { KubeConfig } from '../cli/helm/kubeconfig.ts';
import type { HelmSettings } from '../cli/helm/settings.ts';
import { clusterReleases } from './cluster-releases.ts';
import { helmCluster } from './helm-cluster.ts';
import { messageOf } from '../operation/error.ts';

/** Opens the releases of the cluster that Helm's settings name, in the storage of `HELM_DRIVER`. */
export async function openReleases(
  env: Readonly<Record<string, string | undefined>>,
  settings: HelmSettings,
  kubeConfig: () => Promise<KubeConfig>,
): Promise<Releases> {
  const storageDriver = driverOf(env['HELM_DRIVER']);
  const cluster = await helmCluster(env, settings, kubeConfig).catch((error: unknown) => {
    throw new Error(`kubernetes cluster unreachable: ${messageOf(error)}`);
  });
  return clusterReleases({ cluster, storageDriver, progress: () => undefined });
}

function driverOf(driver = ''): 'secret' | 'configmap' {
  switch (driver) {
    case 'secret':
    case 'secrets':
    case '':
      return 'secret';
    case 'configmap':
    case 'configmaps':
      return 'configmap';
    default:
      throw new Error(`helm-agent stores releases in Secrets or ConfigMaps, not in HELM_DRIVER=${driver}`);
  }
}
