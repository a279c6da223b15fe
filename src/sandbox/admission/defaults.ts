import {
  ensureObject,
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  setDefault,
  stringAt,
} from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { podSpecOf } from './pod-spec.ts';

/**
 * Sets those of the API server's defaults that matter for readiness, revisions and charts.
 * Modifies the object.
 */
export function applyDefaults(object: KubeObject): void {
  const podSpec = podSpecOf(object);
  if (podSpec) defaultPodSpec(podSpec);
  const { kind } = object;
  if (Object.hasOwn(defaultsOfKind, kind)) defaultsOfKind[kind]?.(object);
}

const defaultsOfKind: Readonly<Record<string, (object: KubeObject) => void>> = {
  Deployment(object) {
    const spec = ensureObject(object, 'spec');
    setDefault(spec, 'replicas', 1);
    setDefault(spec, 'revisionHistoryLimit', 10);
    setDefault(spec, 'progressDeadlineSeconds', 600);
    const strategy = ensureObject(spec, 'strategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      setDefault(rolling, 'maxUnavailable', '25%');
      setDefault(rolling, 'maxSurge', '25%');
    }
  },
  ReplicaSet(object) {
    setDefault(ensureObject(object, 'spec'), 'replicas', 1);
  },
  StatefulSet(object) {
    const spec = ensureObject(object, 'spec');
    setDefault(spec, 'replicas', 1);
    setDefault(spec, 'podManagementPolicy', 'OrderedReady');
    setDefault(spec, 'revisionHistoryLimit', 10);
    const strategy = ensureObject(spec, 'updateStrategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy['type'] === 'RollingUpdate') setDefault(ensureObject(strategy, 'rollingUpdate'), 'partition', 0);
  },
  DaemonSet(object) {
    const spec = ensureObject(object, 'spec');
    setDefault(spec, 'revisionHistoryLimit', 10);
    const strategy = ensureObject(spec, 'updateStrategy');
    setDefault(strategy, 'type', 'RollingUpdate');
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureObject(strategy, 'rollingUpdate');
      setDefault(rolling, 'maxUnavailable', 1);
      setDefault(rolling, 'maxSurge', 0);
    }
  },
  Job(object) {
    const spec = ensureObject(object, 'spec');
    defaultJobSpec(spec);
    if (spec['manualSelector'] !== true) labelJobPods(object, spec);
  },
  CronJob(object) {
    const spec = ensureObject(object, 'spec');
    setDefault(spec, 'concurrencyPolicy', 'Allow');
    setDefault(spec, 'suspend', false);
    setDefault(spec, 'successfulJobsHistoryLimit', 3);
    setDefault(spec, 'failedJobsHistoryLimit', 1);
  },
  Service(object) {
    const spec = ensureObject(object, 'spec');
    setDefault(spec, 'type', 'ClusterIP');
    setDefault(spec, 'sessionAffinity', 'None');
    for (const port of objectsAt(spec, 'ports')) {
      setDefault(port, 'protocol', 'TCP');
      setDefault(port, 'targetPort', port['port']);
    }
    if (spec['type'] === 'ExternalName') return;
    setDefault(spec, 'internalTrafficPolicy', 'Cluster');
    setDefault(spec, 'ipFamilies', ['IPv4']);
    setDefault(spec, 'ipFamilyPolicy', 'SingleStack');
  },
  Secret(object) {
    setDefault(object, 'type', 'Opaque');
    const texts = object['stringData'];
    if (!isJsonObject(texts)) return;
    const data = ensureObject(object, 'data');
    for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text)).toString('base64');
    delete object['stringData'];
  },
  PersistentVolumeClaim(object) {
    setDefault(ensureObject(object, 'spec'), 'volumeMode', 'Filesystem');
  },
  Namespace(object) {
    setDefault(ensureObject(object, 'spec'), 'finalizers', ['kubernetes']);
    ensureObject(object, 'metadata', 'labels')['kubernetes.io/metadata.name'] = object.metadata.name;
  },
  HorizontalPodAutoscaler(object) {
    setDefault(ensureObject(object, 'spec'), 'minReplicas', 1);
  },
  CustomResourceDefinition(object) {
    const names = ensureObject(object, 'spec', 'names');
    setDefault(names, 'singular', stringAt(names, 'kind')?.toLowerCase());
    setDefault(names, 'listKind', `${stringAt(names, 'kind') ?? ''}List`);
    setDefault(ensureObject(object, 'spec', 'conversion'), 'strategy', 'None');
  },
};

function defaultJobSpec(spec: JsonObject): void {
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  setDefault(spec, 'parallelism', 1);
  setDefault(spec, 'backoffLimit', 6);
  setDefault(spec, 'completionMode', 'NonIndexed');
  setDefault(spec, 'suspend', false);
}

/** Adds the labels and the selector by which a Job finds its pods. */
function labelJobPods(job: KubeObject, spec: JsonObject): void {
  const { uid = '', name } = job.metadata;
  setDefault(spec, 'selector', { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
  for (const labels of [
    ensureObject(spec, 'template', 'metadata', 'labels'),
    ensureObject(job, 'metadata', 'labels'),
  ]) {
    Object.assign(labels, {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    });
  }
}

function defaultPodSpec(spec: JsonObject): void {
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  setDefault(spec, 'schedulerName', 'default-scheduler');
  setDefault(spec, 'securityContext', {});
  for (const container of [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')]) {
    setDefault(container, 'resources', {});
    setDefault(container, 'terminationMessagePath', '/dev/termination-log');
    setDefault(container, 'terminationMessagePolicy', 'File');
    setDefault(container, 'imagePullPolicy', defaultPullPolicy(stringAt(container, 'image') ?? ''));
    for (const port of objectsAt(container, 'ports')) setDefault(port, 'protocol', 'TCP');
    for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(objectAt(container, probe));
  }
}

function defaultPullPolicy(image: string): string {
  const tag = /:([^/@]+)(?:@|$)/.exec(image)?.[1];
  return (tag === undefined && !image.includes('@')) || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: JsonObject): void {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
}
