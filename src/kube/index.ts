export { connectCluster, type KubeCluster } from './cluster.ts';
export type { ConnectionSource } from './connection.ts';
export { isKubeError } from './kube-error.ts';
