export { connectCluster } from './cluster.ts';
export type { ConnectionSource } from './connection.ts';
export { isKubeError } from './kube-error.ts';
