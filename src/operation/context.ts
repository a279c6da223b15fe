import type { Host } from '../go/host.ts';
import type { ReleaseStorage } from '../release/storage/storage.ts';
import type { Cluster } from '../objects/cluster.ts';
import type { Progress } from './progress.ts';
import type { Renderer } from '../render/renderer.ts';

/** All that an operation works with. */
export interface OperationContext {
  cluster: Cluster;
  storage: ReleaseStorage;
  renderer: Renderer;
  host: Host;
  /** Cancels: the step at work ends, and what an atomic operation did is undone. */
  signal: AbortSignal;
  /** Ends everything at once, undoing too: for a process that has to go. Default never. */
  abandon?: AbortSignal;
  /** Called in order; must not throw. */
  progress: (progress: Progress) => void;
}
