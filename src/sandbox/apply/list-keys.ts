import { podSpecPath } from '../admission/pod-spec.ts';
import type { OpenApiSchema, ResourceType } from '../store/resource-type.ts';

/**
 * How a list or map merges: by `keys` that identify its elements, as a `set` of distinct values, by
 * field (`granular`), or as a whole (`atomic`).
 */
export type Topology = { keys: readonly string[] } | 'set' | 'atomic' | 'granular';

/**
 * Returns how the value at a path of field names merges. List elements are not part of the path.
 */
export type TopologyOf = (path: readonly string[]) => Topology;

const metadataLists: Readonly<Record<string, Topology>> = {
  'metadata.finalizers': 'set',
  'metadata.ownerReferences': { keys: ['uid'] },
};

/** Lists and maps of a pod spec, by path, that are not atomic lists or granular maps. */
const podLists: Readonly<Record<string, Topology>> = {
  ...containerLists('containers'),
  ...containerLists('initContainers'),
  ...containerLists('ephemeralContainers'),
  volumes: { keys: ['name'] },
  imagePullSecrets: { keys: ['name'] },
  hostAliases: { keys: ['ip'] },
  schedulingGates: { keys: ['name'] },
  resourceClaims: { keys: ['name'] },
  topologySpreadConstraints: { keys: ['topologyKey', 'whenUnsatisfiable'] },
  nodeSelector: 'atomic',
  'topologySpreadConstraints.labelSelector': 'atomic',
};

function containerLists(list: string): Record<string, Topology> {
  return {
    [list]: { keys: ['name'] },
    [`${list}.env`]: { keys: ['name'] },
    [`${list}.ports`]: { keys: ['containerPort', 'protocol'] },
    [`${list}.volumeMounts`]: { keys: ['mountPath'] },
    [`${list}.volumeDevices`]: { keys: ['devicePath'] },
    [`${list}.resources.claims`]: { keys: ['name'] },
    [`${list}.env.valueFrom.configMapKeyRef`]: 'atomic',
    [`${list}.env.valueFrom.secretKeyRef`]: 'atomic',
    [`${list}.env.valueFrom.fieldRef`]: 'atomic',
    [`${list}.env.valueFrom.resourceFieldRef`]: 'atomic',
  };
}

const kindLists: Readonly<Record<string, Readonly<Record<string, Topology>>>> = {
  Service: {
    'spec.ports': { keys: ['port', 'protocol'] },
    'spec.selector': 'atomic',
  },
  ServiceAccount: { secrets: { keys: ['name'] } },
  Deployment: { 'spec.selector': 'atomic' },
  ReplicaSet: { 'spec.selector': 'atomic' },
  StatefulSet: { 'spec.selector': 'atomic' },
  DaemonSet: { 'spec.selector': 'atomic' },
  Job: { 'spec.selector': 'atomic' },
  PodDisruptionBudget: { 'spec.selector': 'atomic' },
  NetworkPolicy: { 'spec.podSelector': 'atomic' },
  MutatingWebhookConfiguration: { webhooks: { keys: ['name'] } },
  ValidatingWebhookConfiguration: { webhooks: { keys: ['name'] } },
  RoleBinding: { roleRef: 'atomic' },
  ClusterRoleBinding: { roleRef: 'atomic' },
  PersistentVolumeClaim: { 'spec.selector': 'atomic', 'spec.dataSource': 'atomic' },
};

/**
 * Returns the merge rules of a kind: those of Kubernetes, or of the schema of a custom resource.
 */
export function topologyFor(type: ResourceType): TopologyOf {
  const found = type.custom ? fromSchema(type.schema) : builtin(type.kind);
  return (path) => {
    const text = path.join('.');
    return (Object.hasOwn(metadataLists, text) ? metadataLists[text] : undefined) ?? found(path);
  };
}

/** A list of a built-in kind that merges by a key. Its elements may keep no other fields. */
export interface MergedList {
  path: readonly string[];
  mergeKey: string;
  retainKeys: boolean;
}

/** Returns the lists of a built-in kind that merge by a key. */
export function mergedLists(kind: string): MergedList[] {
  const podPath = podSpecPath(kind);
  const own = Object.entries(Object.hasOwn(kindLists, kind) ? (kindLists[kind] ?? {}) : {});
  const inPods = podPath === undefined ? [] : Object.entries(podLists);
  const lists = [
    ...own.map(([path, topology]) => ({ path: path.split('.'), topology })),
    ...inPods.map(([path, topology]) => ({ path: [...(podPath ?? []), ...path.split('.')], topology })),
  ];
  return lists.flatMap(({ path, topology }) => {
    const mergeKey = typeof topology === 'object' ? topology.keys[0] : undefined;
    const retainKeys = ['volumes', 'resourceClaims'].includes(path.at(-1) ?? '');
    return mergeKey === undefined ? [] : [{ path, mergeKey, retainKeys }];
  });
}

function builtin(kind: string): TopologyOf {
  const podPath = podSpecPath(kind)?.join('.');
  const ofKind = Object.hasOwn(kindLists, kind) ? kindLists[kind] : undefined;
  return (path) => {
    const text = path.join('.');
    if (ofKind && Object.hasOwn(ofKind, text)) return ofKind[text] ?? 'granular';
    if (path[0] === 'status' && path.at(-1) === 'conditions') return { keys: ['type'] };
    if (podPath !== undefined && text.startsWith(`${podPath}.`)) {
      const inPod = text.slice(podPath.length + 1);
      if (Object.hasOwn(podLists, inPod)) return podLists[inPod] ?? 'granular';
    }
    return 'granular';
  };
}

function fromSchema(schema: OpenApiSchema | undefined): TopologyOf {
  return (path) => {
    let at = schema;
    for (const step of path) {
      const inside: OpenApiSchema | undefined = at?.items ?? at;
      const additional = inside?.additionalProperties;
      at = inside?.properties?.[step] ?? (typeof additional === 'object' ? additional : undefined);
    }
    if (at?.['x-kubernetes-map-type'] === 'atomic') return 'atomic';
    const list = at?.['x-kubernetes-list-type'];
    if (list === 'map') return { keys: at?.['x-kubernetes-list-map-keys'] ?? [] };
    return list ?? 'granular';
  };
}
