import type { ConnectionSource } from '../kube/index.ts';
import type { Cluster } from '../objects/cluster.ts';
import { guardedCluster } from '../objects/guarded-cluster.ts';

export interface OperatedClusterOptions {
  cluster: ConnectionSource;
  journal?: 'memory' | 'cluster' | undefined;
  election?: object | undefined;
  allowOwnNamespace?: boolean;
}

/**
 * Returns the cluster as commands see it: without `namespace`, that of the agent, in which it has
 * its token, its journal and the credentials for charts. An agent with a kubeconfig and without a
 * journal in the cluster has nothing there.
 */
export function operatedCluster(
  cluster: Cluster,
  namespace: string,
  { cluster: source, journal, election, allowOwnNamespace = false }: OperatedClusterOptions,
): Cluster {
  const hasNamespace = source === 'service-account' || journal === 'cluster' || election !== undefined;
  if (allowOwnNamespace || !hasNamespace) return cluster;
  const problem = `commands may not access the namespace ${JSON.stringify(namespace)} of the agent, which has its credentials and its journal`;
  const solution = 'use another namespace, or start the agent with --allow-own-namespace';
  return guardedCluster(cluster, namespace, `${problem}; ${solution}`);
}
