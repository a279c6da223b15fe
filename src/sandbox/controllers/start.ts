import type { ClusterState } from '../cluster-state.ts';
import { runControllers, type ControllerRuntime } from './controller.ts';
import { definitionController } from './definitions.ts';
import { startGarbageCollector } from './garbage.ts';
import { namespaceController } from './namespaces.ts';

/** Starts everything that acts in the cluster by itself. */
export function startControllers(state: ClusterState, options: { speed: number; ca: string }): ControllerRuntime {
  const garbage = startGarbageCollector(state);
  const runtime = runControllers(state, [namespaceController(options.ca), definitionController], options.speed);
  return {
    stop() {
      garbage.stop();
      runtime.stop();
    },
  };
}
