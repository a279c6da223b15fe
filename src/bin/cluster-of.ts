import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionSource } from '../kube/connection.ts';

/**
 * Returns the cluster to connect to: that of the given kubeconfig; without one, in a pod that of
 * the service account, elsewhere that of kubectl. Throws an error if there is none.
 */
export function clusterOf(kubeconfig: string | undefined): ConnectionSource {
  if (kubeconfig !== undefined) return { file: kubeconfig };
  if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined && process.env['KUBECONFIG'] === undefined) {
    return 'service-account';
  }
  const [named] = (process.env['KUBECONFIG'] ?? '').split(':').filter((path) => existsSync(path));
  const file = named ?? join(homedir(), '.kube', 'config');
  if (existsSync(file)) return { file };
  throw new Error(
    `no cluster found: there is no ${file}; name a kubeconfig with --kubeconfig, or try without a cluster: helm-agent sandbox`,
  );
}
