import { ApiError } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { StoreEvent } from '../store/store.ts';

/** Names the object that a controller looks after. */
export interface ObjectKey {
  namespace: string;
  name: string;
}

/** What a controller can do besides reading and writing objects. */
export interface ControllerTools extends ClusterState {
  /** How many times faster than in a real cluster time passes. */
  speed: number;
  /** Milliseconds of a real cluster's time since the sandbox was started. */
  elapsed(): number;
  /** Looks at the object again after this many milliseconds of a real cluster's time. */
  again(milliseconds: number): void;
}

/** Brings what is in line with what shall be, for one object at a time, whenever something that it depends on changes. */
export interface Controller {
  name: string;
  /** For each collection that matters: which objects to look at after a change in it. */
  watches: Readonly<Record<string, (event: StoreEvent) => ObjectKey[]>>;
  reconcile(key: ObjectKey, tools: ControllerTools): void;
}

export interface ControllerRuntime {
  stop(): void;
}

/** After a refusal by the API a controller tries again this much later, in milliseconds of a real cluster's time. */
const retryDelay = 1000;

/** Runs controllers on the changes of the store, one object after the other. `speed` divides all delays. */
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

  const later = (controller: Controller, key: ObjectKey, milliseconds: number): void => {
    const id = idOf(controller, key);
    clearTimeout(timers.get(id));
    const look = (): void => {
      timers.delete(id);
      enqueue(controller, key);
    };
    timers.set(id, setTimeout(look, Math.max(0, milliseconds) / speed));
  };

  const reconcile = (controller: Controller, key: ObjectKey): void => {
    try {
      controller.reconcile(key, {
        ...state,
        speed,
        elapsed,
        again: (milliseconds) => later(controller, key, milliseconds),
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      later(controller, key, retryDelay);
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

/** The object of the event itself. */
export function itself({ object }: StoreEvent): ObjectKey[] {
  return [{ namespace: object.metadata.namespace ?? '', name: object.metadata.name }];
}

/** The controller of the object of the event, where it is of `kind`. */
export function ownerOf(kind: string): (event: StoreEvent) => ObjectKey[] {
  return ({ object }) =>
    (object.metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller && owner.kind === kind)
      .map(({ name }) => ({ namespace: object.metadata.namespace ?? '', name }));
}
