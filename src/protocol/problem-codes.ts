/** Values of `failFast`. */
export const failFastLevels = ['never', 'fatal', 'likely'] as const;

export const problemClassNames = ['fatal', 'likely', 'transient'] as const;

/**
 * How serious a problem is. `fatal`: it cannot heal without a change. `likely`: it seldom heals by
 * itself. `transient`: it often does.
 */
export type ProblemClass = (typeof problemClassNames)[number];

/** All problems of resources that are not ready. `npm run protocol` writes docs/readiness.md. */
export const problems = {
  image_not_found: { class: 'fatal', meaning: 'The registry says that there is no such image.' },
  image_name_invalid: { class: 'fatal', meaning: 'The name of the image cannot be read.' },
  image_never_pulled: { class: 'fatal', meaning: 'The image is not on the node, and `imagePullPolicy` is `Never`.' },
  image_denied: { class: 'likely', meaning: 'The registry requires credentials, or rejects them.' },
  registry_unavailable: {
    class: 'transient',
    meaning: 'The registry limits requests (429), has an error, or takes too long.',
  },
  image_pull_failed: { class: 'likely', meaning: 'The image cannot be pulled for another reason.' },
  config_error: {
    class: 'fatal',
    meaning:
      'A ConfigMap or Secret of the environment, or a key of it, is missing; or the image runs as root and must not. `likely` if a custom resource or a Job of the release may create it.',
  },
  container_not_started: {
    class: 'likely',
    meaning:
      'The container cannot be created or started, such as for a missing program, or because the kubelet has not read a ConfigMap or Secret in time.',
  },
  crash_loop: {
    class: 'likely',
    meaning: 'A container has ended, and is started again. `transient` in a Job, whose `backoffLimit` counts.',
  },
  container_failed: { class: 'transient', meaning: 'A container has ended with an error, and is not started again.' },
  probe_failed: { class: 'transient', meaning: 'A probe of a container fails.' },
  unschedulable: { class: 'likely', meaning: 'No node has room for the pod, or fits it.' },
  waiting_for_node: {
    class: 'transient',
    meaning: 'The same, and an autoscaler or the scheduler makes room, or a volume may not be there yet.',
  },
  volume_not_mounted: { class: 'transient', meaning: 'A volume cannot be attached or mounted.' },
  volume_source_missing: {
    class: 'likely',
    meaning: 'The same, and the pod has only volumes from ConfigMaps, Secrets and the node.',
  },
  set_up_failed: { class: 'transient', meaning: 'The node cannot make the sandbox or the network of the pod.' },
  evicted: { class: 'transient', meaning: 'The node has evicted the pod.' },
  node_lost: { class: 'transient', meaning: 'The node of the pod is lost or shuts down.' },
  pod_failed: { class: 'transient', meaning: 'The pod has failed for another reason.' },
  quota_exceeded: {
    class: 'fatal',
    meaning: 'A ResourceQuota refuses pods, and no older pod is there that may make room.',
  },
  pod_security: { class: 'fatal', meaning: 'The Pod Security Standard of the namespace refuses pods.' },
  pods_refused: {
    class: 'likely',
    meaning: 'The API server refuses pods for another reason, such as an admission webhook.',
  },
  update_blocked: {
    class: 'transient',
    meaning: 'A pod of the revision before is not ready, and blocks the update of a StatefulSet.',
  },
  volume_not_provisioned: { class: 'likely', meaning: 'A PersistentVolumeClaim gets no volume.' },
  job_failed: { class: 'fatal', meaning: 'A Job has failed: its `backoffLimit` or its deadline is over.' },
  failed: {
    class: 'fatal',
    meaning: 'The status of the resource says that it has failed, such as by its `progressDeadlineSeconds`.',
  },
  starting: { class: 'transient', meaning: 'The pod is starting, and has no problem.' },
} as const satisfies Record<string, { class: ProblemClass; meaning: string }>;

export type ProblemCode = keyof typeof problems;

export const problemCodes = Object.keys(problems) as ProblemCode[]; // these are its keys
