import type { KubeCluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { decodeRecord, withChartTexts } from './scenarios/records.ts';
import { wantedTexts } from './wanted-differences.ts';

/** Kinds as `[apiVersion, kind]`. */
export type Kinds = readonly (readonly [apiVersion: string, kind: string])[];

/** Where to look for objects. */
export interface StateQuery {
  namespace: string;
  kinds: Kinds;
  /** Cluster-wide kinds, for the objects with the namespace in their names. Default: none. */
  clusterKinds?: Kinds;
  /** The name to replace in all texts. Default: the namespace. */
  hide?: string;
}

/** Objects that the cluster itself creates in each namespace. */
const ofCluster = new Set(['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default']);

/**
 * Returns the objects with their managed fields and the decoded records of a namespace, without
 * what differs in each run.
 */
export async function stateOf(
  cluster: KubeCluster,
  { namespace, kinds, clusterKinds = [], hide = namespace }: StateQuery,
): Promise<unknown> {
  const [inNamespace, inCluster, records] = await Promise.all([
    Promise.all(kinds.map(([apiVersion, kind]) => cluster.list({ apiVersion, kind, namespace }))),
    Promise.all(clusterKinds.map(([apiVersion, kind]) => cluster.list({ apiVersion, kind }))),
    cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'owner=helm' }),
  ]);
  const objects = [
    ...inNamespace.flat(),
    ...inCluster.flat().filter(({ metadata }) => metadata.name.includes(namespace)),
  ]
    .filter(
      ({ metadata, kind }) => metadata.deletionTimestamp === undefined && !ofCluster.has(`${kind}/${metadata.name}`),
    )
    .filter(({ metadata }) => metadata.ownerReferences === undefined && metadata.labels?.['owner'] !== 'helm');
  const state = {
    objects: Object.fromEntries(objects.map((object) => [`${object.kind}/${object.metadata.name}`, stable(object)])),
    hookOrder: hookOrder(objects),
    records: Object.fromEntries(records.map(recordOf)),
  };
  return JSON.parse(withoutNames(JSON.stringify(state), hide)) as unknown;
}

/** Returns a text without what differs between two namespaces or on purpose. */
export function withoutNames(given: string, namespace: string): string {
  const text = wantedTexts.reduce((rest, { pattern, replacement }) => rest.replace(pattern, replacement), given);
  return text
    .replaceAll(namespace, 'NAMESPACE')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/(?<=checksum\/[\w.-]+[\\": ]+)[0-9a-f]{64}/g, 'DIGEST') // of texts with the namespace
    .replace(/"10(\.\d+){3}"/g, '"IP"')
    .replace(/(?<=kube-api-access-)\w{5}/g, 'XXXXX')
    .replace(/"((?:nodeP|healthCheckNodeP)ort)":\d+/g, '"$1":"PORT"');
}

/** Returns the hooks without a controller in the order in which they were created. */
function hookOrder(objects: readonly KubeObject[]): string[] {
  return objects
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.annotations?.['helm.sh/hook'] !== undefined)
    .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ metadata }) => metadata.name);
}

function recordOf({ metadata, data }: KubeObject): [string, unknown] {
  const { createdAt, modifiedAt, ...labels } = metadata.labels ?? {};
  return [
    metadata.name,
    {
      labels,
      isTimed: createdAt !== undefined || modifiedAt !== undefined,
      release: withChartTexts(decodeRecord(data)),
    },
  ];
}

interface FieldsEntry {
  manager: string;
  operation: string;
  fieldsV1: unknown;
  subresource?: string;
}

/** Returns the fields of an object that do not differ in each run, with those of each manager. */
export function stable({ status: _status, metadata, ...object }: KubeObject): unknown {
  const { name, labels, annotations, managedFields = [] } = metadata;
  const managers = (managedFields as FieldsEntry[])
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }))
    // the API server sorts them by the second of their last change
    .sort((a, b) => (`${a.manager} ${a.operation}` < `${b.manager} ${b.operation}` ? -1 : 1));
  const own = Object.entries(annotations ?? {}).filter(([key]) => key !== 'deployment.kubernetes.io/revision');
  return { ...object, metadata: { name, labels, annotations: Object.fromEntries(own), managers } };
}

/** Returns the differences between two states, as `PATH: helm has X, the agent Y`. */
export function compareStates(ofHelm: unknown, ofAgent: unknown, path = ''): string[] {
  if (isObject(ofHelm) && isObject(ofAgent)) {
    const keys = [...new Set([...Object.keys(ofHelm), ...Object.keys(ofAgent)])].sort();
    return keys.flatMap((key) => compareStates(ofHelm[key], ofAgent[key], `${path}/${key}`));
  }
  const [left, right] = [JSON.stringify(ofHelm), JSON.stringify(ofAgent)];
  return left === right ? [] : [`${path}: helm has ${left}, the agent ${right}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
