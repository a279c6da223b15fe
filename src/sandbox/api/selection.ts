import { type FieldRequirement, matchesFields, parseFieldSelector } from '../../objects/field-selector.ts';
import { matchesLabels, parseLabelSelector, SelectorError } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import { badRequest } from '../api-error.ts';
import { collectionOf, type ResourceType } from '../store/resource-type.ts';
import type { Store } from '../store/store.ts';

/** The namespace and the selectors of a list or watch. */
export interface Selection {
  /** Undefined for all namespaces. */
  namespace: string | undefined;
  /** Whether an object is in the namespace and matches the selectors. */
  matches(object: KubeObject): boolean;
}

/** Lists the objects of a selection in the order of namespace and name. */
export function selectedObjects(store: Store, type: ResourceType, selection: Selection): KubeObject[] {
  return store.list(collectionOf(type), selection.namespace).filter((object) => selection.matches(object));
}

const selectableEverywhere = ['metadata.name', 'metadata.namespace'];
const selectable: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  Secret: ['type'],
  Namespace: ['status.phase'],
  Node: ['spec.unschedulable'],
  Job: ['status.successful'],
  ReplicaSet: ['status.replicas'],
};

/**
 * Reads the selectors of a query. Throws a 400 for an invalid selector and for a field that the
 * kind does not support.
 */
export function selectionOf(type: ResourceType, namespace: string | undefined, query: URLSearchParams): Selection {
  try {
    const labels = parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    checkFields(type, fields);
    return {
      namespace,
      matches: (object) =>
        (namespace === undefined || object.metadata.namespace === namespace) &&
        matchesLabels(labels, object.metadata.labels) &&
        matchesFields(fields, object),
    };
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function checkFields(type: ResourceType, fields: readonly FieldRequirement[]): void {
  const known = [
    ...selectableEverywhere,
    ...(!type.custom && Object.hasOwn(selectable, type.kind) ? (selectable[type.kind] ?? []) : []),
  ];
  const unknown = fields.find(({ path }) => !known.includes(path));
  if (unknown === undefined) return;
  if (known.length > selectableEverywhere.length) throw badRequest(`field label not supported: ${unknown.path}`);
  const list = selectableEverywhere.map((field) => JSON.stringify(field)).join(', ');
  throw badRequest(`${JSON.stringify(unknown.path)} is not a known field selector: only ${list}`);
}
