import { matchesFields, parseFieldSelector, type FieldRequirement } from '../../objects/field-selector.ts';
import { matchesLabels, parseLabelSelector, SelectorError } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import { badRequest } from '../api-error.ts';
import type { ResourceType } from '../store/resource-type.ts';

/** Whether an object matches the namespace and the selectors of a list or watch. */
export type Selection = (object: KubeObject) => boolean;

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
    return (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      matchesLabels(labels, object.metadata.labels) &&
      matchesFields(fields, object);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function checkFields(type: ResourceType, fields: readonly FieldRequirement[]): void {
  const known = [...selectableEverywhere, ...(type.custom ? [] : (selectable[type.kind] ?? []))];
  const unknown = fields.find(({ path }) => !known.includes(path));
  if (unknown === undefined) return;
  if (known.length > selectableEverywhere.length) throw badRequest(`field label not supported: ${unknown.path}`);
  const list = selectableEverywhere.map((field) => JSON.stringify(field)).join(', ');
  throw badRequest(`${JSON.stringify(unknown.path)} is not a known field selector: only ${list}`);
}
