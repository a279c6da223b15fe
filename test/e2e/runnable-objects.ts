import { isJsonObject, type JsonObject, listAt, stringAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';

/** Kinds that many releases can have at the same time, and that need no other software. */
const keptKinds: ReadonlySet<string> = new Set([
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'Role', 'RoleBinding', 'NetworkPolicy', 'Ingress'],
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'],
]);
const workloads: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job']);

/** Volumes that the node has without a driver, except folders of the node. */
const localVolumes = ['configMap', 'secret', 'projected', 'downwardAPI', 'emptyDir'];
const references = new Set(['configMap', 'secret', 'configMapKeyRef', 'secretKeyRef', 'configMapRef', 'secretRef']);
const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'];

/**
 * Returns the objects of a chart so that they run on a node with only the test image, whatever the
 * chart is: the programs are those of the image, they answer the chart's probes, and they get by
 * without volumes of other drivers and without ConfigMaps and Secrets that the chart does not have.
 * Timing, replicas and strategies stay the chart's own.
 */
export function runnableObjects(objects: readonly KubeObject[], namespace: string): KubeObject[] {
  const kept = objects
    .filter(({ kind, metadata }) => keptKinds.has(kind) && (metadata.namespace ?? namespace) === namespace)
    .map(({ metadata: { namespace: _namespace, ...metadata }, ...object }): KubeObject => ({ ...object, metadata }));
  const accounts = new Set(kept.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name));
  return kept.map((object) => {
    if (object.kind === 'Service') return withoutNodePorts(object);
    if (!workloads.has(object.kind)) return object;
    const spec = without(object['spec'], 'volumeClaimTemplates');
    const template = spec['template'] as JsonObject; // every workload has one
    const pod = runnablePod(template['spec'] as JsonObject, accounts, object.kind === 'Job');
    return { ...object, spec: { ...spec, template: { ...template, spec: pod } } };
  });
}

function withoutNodePorts(service: KubeObject): KubeObject {
  const ports = listAt(service, 'spec', 'ports').map((port) => without(port, 'nodePort'));
  return { ...service, spec: { ...without(service['spec'], 'healthCheckNodePort'), ports } };
}

function runnablePod(pod: JsonObject, accounts: ReadonlySet<string>, ends: boolean): JsonObject {
  const { restartPolicy, tolerations } = pod;
  const serviceAccountName = stringAt(pod, 'serviceAccountName') ?? '';
  const volumes = listAt(pod, 'volumes').filter(
    (volume) => isJsonObject(volume) && localVolumes.some((source) => source in volume),
  );
  const isSidecar = (container: unknown) => stringAt(container, 'restartPolicy') === 'Always';
  return {
    restartPolicy,
    tolerations,
    terminationGracePeriodSeconds: 0,
    ...(accounts.has(serviceAccountName) && { serviceAccountName }),
    volumes: optional(volumes),
    initContainers: listAt(pod, 'initContainers').map((container) =>
      runnableContainer(container, isSidecar(container) ? ['pause'] : ['sleep', '1s']),
    ),
    // the first one serves the port for all probes of the pod
    containers: listAt(pod, 'containers').map((container, index) =>
      runnableContainer(container, ends ? ['sleep', '1s'] : index === 0 ? [] : ['pause']),
    ),
  };
}

function runnableContainer(container: unknown, args: string[]): JsonObject {
  const { name, env, envFrom, ports, restartPolicy, ...rest } = container as JsonObject; // as the API defines it
  const kept = probes.flatMap((probe) => (isJsonObject(rest[probe]) ? [[probe, served(rest[probe])] as const] : []));
  return {
    ...{ name, image: 'localhost/app:1', imagePullPolicy: 'IfNotPresent', args, restartPolicy },
    ...{ env: optional(env), envFrom: optional(envFrom) },
    ports: listAt({ ports }, 'ports').map((port) => without(port, 'hostPort')),
    ...Object.fromEntries(kept),
  };
}

/** Returns a probe with the same times, which the program of the test image passes. */
function served(probe: JsonObject): JsonObject {
  return { ...without(probe, 'exec', 'tcpSocket', 'grpc', 'httpGet'), httpGet: { path: '/', port: 8080 } };
}

/** Returns a part of a pod without the need for what it refers to. */
function optional(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(optional);
  if (!isJsonObject(value)) return value;
  // modes are octal in the YAML of Kubernetes only
  const entries = Object.entries(without(value, 'defaultMode', 'mode')).map(([key, field]) => {
    const content = optional(field);
    return [key, references.has(key) && isJsonObject(content) ? { ...content, optional: true } : content] as const;
  });
  return Object.fromEntries(entries);
}

function without(value: unknown, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => !keys.includes(key))); // a part of an object
}
