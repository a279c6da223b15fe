import { ApiError } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { StoreEvent } from '../store/store.ts';

/** Namespace and name of an object that a controller reconciles. */
export interface ObjectKey {
  namespace: string;
  name: string;
}

/** The cluster's state, and the simulated time. */
export interface ControllerTools extends ClusterState {
  /** Factor by which simulated time is faster than real time. */
  speed: number;
  /** Returns the simulated time since the start of the sandbox, in milliseconds. */
  elapsed(): number;
  /** Reconciles the object again after this many simulated milliseconds. */
  requeueAfter(milliseconds: number): void;
}

/**
 * Moves objects towards their desired state, one at a time, whenever an object that they depend on
 * changes.
 */
export interface Controller {
  name: string;
  /** For each collection to watch: returns the objects to reconcile after a change in it. */
  watches: Readonly<Record<string, (event: StoreEvent) => ObjectKey[]>>;
  reconcile(key: ObjectKey, tools: ControllerTools): void;
}

export interface ControllerRuntime {
  stop(): void;
}

/**
 * Delay before the next try after an error of the API, in simulated milliseconds.
 */
const retryDelay = 1000;

/** Runs controllers on the changes of the store. `speed` divides all delays. */
export function runControllers(
  state: ClusterState,
  controllers: readonly Controller[],
  speed: number,
): ControllerRuntime {
  const pending = new Map<string, () => void>();
  const timers = new Map<string, NodeJS.Timeout>();
  let scheduled: NodeJS.Immediate | undefined;
  const started = state.host.now();
  const elapsed = (): number => (Number(state.host.now() - started) / 1_000_000) * speed;

  const enqueue = (controller: Controller, key: ObjectKey): void => {
    pending.set(idOf(controller, key), () => reconcile(controller, key));
    scheduled ??= setImmediate(drain);
  };

  const drain = (): void => {
    scheduled = undefined;
    const work = [...pending.values()];
    pending.clear();
    for (const run of work) run();
  };

  const enqueueLater = (controller: Controller, key: ObjectKey, milliseconds: number): void => {
    const id = idOf(controller, key);
    clearTimeout(timers.get(id));
    const enqueueNow = (): void => {
      timers.delete(id);
      enqueue(controller, key);
    };
    timers.set(id, setTimeout(enqueueNow, Math.max(0, milliseconds) / speed));
  };

  const reconcile = (controller: Controller, key: ObjectKey): void => {
    try {
      controller.reconcile(key, {
        ...state,
        speed,
        elapsed,
        requeueAfter: (milliseconds) => enqueueLater(controller, key, milliseconds),
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      enqueueLater(controller, key, retryDelay);
    }
  };

  const unsubscribe = state.store.subscribe((event) => {
    for (const controller of controllers) {
      for (const key of controller.watches[event.collection]?.(event) ?? []) enqueue(controller, key);
    }
  });

  return {
    stop() {
      unsubscribe();
      clearImmediate(scheduled);
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

function idOf(controller: Controller, key: ObjectKey): string {
  return `${controller.name} ${key.namespace}/${key.name}`;
}

/** Returns the object of the event itself. */
export function itself({ object }: StoreEvent): ObjectKey[] {
  return [{ namespace: object.metadata.namespace ?? '', name: object.metadata.name }];
}

/** Returns the controller of the object of the event, if it is of `kind`. */
export function ownerOf(kind: string): (event: StoreEvent) => ObjectKey[] {
  return ({ object }) =>
    (object.metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller && owner.kind === kind)
      .map(({ name }) => ({ namespace: object.metadata.namespace ?? '', name }));
}
