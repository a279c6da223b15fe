import type { ClusterState } from '../cluster/cluster-state.ts';
import { type ControllerRuntime, runControllers } from './controller.ts';
import { definitionController } from './custom-resource-definitions.ts';
import { daemonSetController } from './daemon-sets.ts';
import { deploymentController } from './deployments.ts';
import { startGarbageCollector } from './garbage-collector.ts';
import { jobController } from './jobs.ts';
import { namespaceController } from './namespaces.ts';
import { nodeController } from './nodes.ts';
import { podController } from './pods.ts';
import { replicaSetController, replicationController } from './replica-sets.ts';
import { simpleControllers } from './simple-controllers.ts';
import { statefulSetController } from './stateful-sets.ts';

/** Starts all controllers and the garbage collector. */
export function startControllers(state: ClusterState, options: { speed: number; ca: string }): ControllerRuntime {
  const garbage = startGarbageCollector(state);
  const controllers = [
    namespaceController(options.ca),
    definitionController,
    deploymentController,
    replicaSetController,
    replicationController,
    statefulSetController,
    daemonSetController,
    jobController(),
    nodeController,
    podController(),
    ...simpleControllers(),
  ];
  const runtime = runControllers(state, controllers, options.speed);
  return {
    stop() {
      garbage.stop();
      runtime.stop();
    },
  };
}
