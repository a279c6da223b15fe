import type { Cluster } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { WaitContext } from '../wait/watches.ts';
import type { ReleaseObject } from './release-object.ts';

/** Brings single objects to the cluster. */
export interface ApplyStrategy {
  /** Creates an object that does not exist. */
  create(item: ReleaseObject): Promise<KubeObject>;
  /** Changes an object that exists. */
  update(update: ObjectUpdate): Promise<KubeObject>;
}

export interface ObjectUpdate {
  /** The form that was applied before. Fields that only it has are removed. */
  original: KubeObject;
  item: ReleaseObject;
  /**
   * The object in the cluster. Another one with its name is not changed. For server-side apply, it
   * may have only its metadata.
   */
  live: KubeObject;
}

/** The cluster and the step that a strategy works for. */
export interface ApplyTools {
  cluster: Cluster;
  signal: AbortSignal;
  report: (update: { message: string }) => void;
  /** To wait for deletions. Default: no object is deleted and created again, as in a dry run. */
  watching?: WaitContext;
}

/** The tools of a strategy, with where warnings of the API server go. */
export interface StrategyTools extends ApplyTools {
  onWarning: (text: string) => void;
}
