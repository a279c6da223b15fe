/**
 * How serious a problem is. `fatal`: it cannot heal without a change. `likely`: it seldom heals by
 * itself. `transient`: it often does.
 */
export type ProblemClass = 'fatal' | 'likely' | 'transient';

/** The problems of resources that are not ready, each with its class. */
export const problemClasses = {
  /** The registry says that there is no such image. */
  image_not_found: 'fatal',
  image_name_invalid: 'fatal',
  /** The image is not on the node, and `imagePullPolicy: Never` forbids to pull it. */
  image_never_pulled: 'fatal',
  /** The registry refuses the credentials, or wants some. */
  image_denied: 'likely',
  /** The registry limits requests, has an error, or takes too long. */
  registry_unavailable: 'transient',
  /** Any other failure to pull an image. */
  image_pull_failed: 'likely',
  /** A ConfigMap or Secret, or a key of it, is missing, or the image runs as root and must not. */
  config_error: 'fatal',
  /** The container cannot be created or started, such as for a missing program. */
  container_not_started: 'likely',
  /** A container has ended with an error, and is started again. */
  crash_loop: 'likely',
  /** A container has ended with an error, and is not started again. */
  container_failed: 'transient',
  probe_failed: 'transient',
  unschedulable: 'likely',
  /** No node has room yet, but an autoscaler adds one, or a volume is being provisioned. */
  waiting_for_node: 'transient',
  volume_not_mounted: 'transient',
  /** The same, and the pod has only volumes from ConfigMaps, Secrets and the node. */
  volume_source_missing: 'likely',
  /** The node cannot make the sandbox or the network of the pod. */
  set_up_failed: 'transient',
  evicted: 'transient',
  node_lost: 'transient',
  pod_failed: 'transient',
  quota_exceeded: 'fatal',
  /** The Pod Security Standard of the namespace forbids the pods. */
  pod_security: 'fatal',
  /** The API server refuses the pods for another reason. */
  pods_refused: 'likely',
  /** Pods of an older revision block the update of a StatefulSet. */
  update_blocked: 'transient',
  volume_not_provisioned: 'likely',
  job_failed: 'fatal',
  /** The resource's status says that it has failed. */
  failed: 'fatal',
  /** The pod is still starting, and has no problem. */
  starting: 'transient',
} as const satisfies Record<string, ProblemClass>;

export type ProblemCode = keyof typeof problemClasses;

/** Why a resource is not ready. */
export interface Problem {
  code: ProblemCode;
  /** `ImagePullBackOff: Back-off pulling image "x" (container app of pod web-1)`. */
  text: string;
  /** How often it was seen to fail. Absent if it lasts, and nothing is tried again. */
  failures?: number;
  /** How the last run of a restarted container ended, such as `1` or `137 OOMKilled`. */
  exit?: string;
  /** Whether a container that has failed runs again. Default: false. */
  running?: boolean;
  /** The problem of a pod that made a Job fail. Absent if no pod shows one. */
  cause?: ProblemCode;
  container?: string;
}

const order: Readonly<Record<ProblemClass, number>> = { fatal: 0, likely: 1, transient: 2 };

/** Sorts problems, the most serious first, and those of pods that only start last. */
export function bySeverity(a: Problem, b: Problem): number {
  return rank(a) - rank(b);
}

function rank({ code }: Problem): number {
  return code === 'starting' ? 3 : order[problemClasses[code]];
}
