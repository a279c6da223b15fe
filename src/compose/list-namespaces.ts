import type { KubeConfig } from '../cli/helm/kubeconfig.ts';
import type { HelmSettings } from '../cli/helm/settings.ts';
import { connectCluster } from '../kube/index.ts';
import { helmCluster } from './helm-cluster.ts';

/** Time after which a shell waits no longer for candidates (helm: pkg/cmd/root.go). */
const limitMs = 3000;

/** Returns the names of the namespaces of the cluster that Helm's settings name. */
export async function listNamespaces(
  env: Readonly<Record<string, string | undefined>>,
  settings: HelmSettings,
  kubeConfig: () => Promise<KubeConfig>,
): Promise<string[]> {
  const source = await helmCluster(env, settings, kubeConfig);
  const cluster = connectCluster(source, { failsUnreached: true, proxyEnv: env });
  try {
    const query = { apiVersion: 'v1', kind: 'Namespace' };
    const namespaces = await cluster.list(query, AbortSignal.timeout(limitMs));
    return namespaces.map(({ metadata }) => metadata.name);
  } finally {
    await cluster.close();
  }
}
