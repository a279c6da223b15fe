import type { Host } from '../../go/host.ts';
import type { Cluster } from '../../objects/cluster.ts';
import type { ReleaseCodec } from '../codec.ts';
import type { ReleaseError } from '../error.ts';

/** The requests that release storage sends. */
export type ReleaseCluster = Pick<Cluster, 'get' | 'list' | 'create' | 'replace' | 'delete'>;

/** An agent and its process. */
export interface Holder {
  agentId: string;
  instanceId: string;
}

export interface KubeStorageOptions {
  cluster: ReleaseCluster;
  host: Host;
  /**
   * Called for each object of a query that is not a readable release. As in Helm, the result has
   * the other ones.
   */
  onUnreadable: (error: ReleaseError) => void;
  /** Who works on revisions that are not finished. Default: they do not say it. */
  holder?: Holder;
  /** Reads what a stranger may have stored. Default: in the calling thread. */
  codec?: ReleaseCodec;
}
