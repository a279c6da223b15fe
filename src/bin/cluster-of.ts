import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionSource } from '../kube/connection.ts';

/** The cluster to work on: the kubeconfig that is named; in a pod the service account; else what kubectl uses. */
export function clusterOf(kubeconfig: string | undefined): ConnectionSource {
  if (kubeconfig !== undefined) return { file: kubeconfig };
  if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined && process.env['KUBECONFIG'] === undefined) {
    return 'service-account';
  }
  const [file] = (process.env['KUBECONFIG'] ?? '').split(':').filter((path) => existsSync(path));
  return { file: file ?? join(homedir(), '.kube', 'config') };
}
