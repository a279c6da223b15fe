import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ConnectionSource } from '../kube/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the cluster to connect to: that of the given kubeconfig; without one, in a pod that of
 * the service account, elsewhere that of kubectl, which merges the files of `KUBECONFIG`. Throws an
 * error if there is none.
 */
export function clusterOf(kubeconfig: string | undefined, env: Environment = process.env): ConnectionSource {
  if (kubeconfig !== undefined) return { file: kubeconfig };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined && listed.length === 0) return 'service-account';
  const files = listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
  if (files.some((file) => existsSync(file))) return { files };
  const missing = listed.length > 0 ? `KUBECONFIG names ${listed.join(', ')}, which` : files.join();
  throw new Error(
    `no cluster found: ${missing} does not exist; name a kubeconfig with --kubeconfig, or try without a cluster: helm-agent sandbox`,
  );
}
