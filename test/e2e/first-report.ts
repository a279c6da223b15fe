import type { KubeCluster } from '../../src/kube/cluster.ts';
import { listAt, stringAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { conditionOf } from '../../src/readiness/conditions.ts';

/** States of containers with which the kubelet reports a failure that cannot heal. */
const failedStates = new Set(['ErrImagePull', 'ImagePullBackOff', 'CreateContainerConfigError']);
const watchedKinds = [
  ['v1', 'Pod'],
  ['v1', 'Event'],
  ['apps/v1', 'ReplicaSet'],
  ['batch/v1', 'Job'],
] as const;

/**
 * Watches a namespace, and remembers when the kubelet or a controller has first reported a failure
 * in the status of an object, or that it cannot pull an image.
 */
export class FirstReport {
  /** In milliseconds of `performance.now()`. Undefined until then. */
  #at: number | undefined;
  readonly #stop = new AbortController();
  readonly #watches: Promise<void>[];

  constructor(cluster: KubeCluster, namespace: string) {
    this.#watches = watchedKinds.map(async ([apiVersion, kind]) => {
      for await (const change of cluster.observe({ apiVersion, kind, namespace }, this.#stop.signal)) {
        const objects = change.type === 'snapshot' ? change.objects : [change.object];
        if (objects.some(reportsFailure)) this.note();
      }
    });
  }

  /** Notes a failure that is reported now. */
  note(): void {
    this.#at ??= performance.now();
  }

  /** Returns the seconds since the first report. Undefined if there is none. */
  age(): number | undefined {
    return this.#at === undefined ? undefined : (performance.now() - this.#at) / 1000;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#watches);
  }
}

function reportsFailure(object: KubeObject): boolean {
  switch (object.kind) {
    case 'Pod':
      return listAt(object, 'status', 'containerStatuses').some((status) =>
        failedStates.has(stringAt(status, 'state', 'waiting', 'reason') ?? ''),
      );
    case 'Event': // comes before the status
      return stringAt(object, 'message')?.startsWith('Failed to pull image') === true;
    case 'ReplicaSet':
      return conditionOf(object, 'ReplicaFailure', 'True') !== undefined;
    default:
      return ['Failed', 'FailureTarget'].some((type) => conditionOf(object, type, 'True') !== undefined);
  }
}
