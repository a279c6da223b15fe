import { parseJson } from './body.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { DeleteRequest } from '../cluster/deletion.ts';
import { listAt, numberAt, stringAt } from '../../objects/fields.ts';
import { listDocument } from './list.ts';
import type { ApiRequest } from './request.ts';
import { collectionOf, type ResourceType } from '../store/resource-type.ts';
import { ok, type ApiResponse } from './response.ts';
import type { Target } from './object-address.ts';
import type { Selection } from './selection.ts';

/** DELETE of one object: answers a Status where it is gone, the object where it still has to end. */
export function deleteObject(state: ClusterState, { type, namespace, name }: Target, request: ApiRequest): ApiResponse {
  const { object, gone } = state.objects.remove(type, namespace, name, deleteRequest(request));
  if (!gone) return ok(object);
  const details = {
    name,
    ...(type.group !== '' && { group: type.group }),
    kind: type.plural,
    uid: object.metadata.uid,
  };
  return ok({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

/** DELETE of a collection: answers what there was. */
export function deleteCollection(
  state: ClusterState,
  type: ResourceType,
  selected: Selection,
  request: ApiRequest,
): ApiResponse {
  const before = listDocument(state.store, type, selected, new URLSearchParams());
  for (const object of state.store.list(collectionOf(type)).filter(selected)) {
    state.objects.remove(type, object.metadata.namespace ?? '', object.metadata.name, deleteRequest(request));
  }
  return ok(before);
}

/** DeleteOptions come in the body, in the query, or not at all. */
function deleteRequest(request: ApiRequest): DeleteRequest {
  const body = request.body.trim() === '' ? {} : parseJson(request.body);
  const propagationPolicy = stringAt(body, 'propagationPolicy') ?? request.query.get('propagationPolicy') ?? undefined;
  const inQuery = request.query.get('gracePeriodSeconds');
  const gracePeriodSeconds = numberAt(body, 'gracePeriodSeconds') ?? (inQuery === null ? undefined : Number(inQuery));
  const uid = stringAt(body, 'preconditions', 'uid');
  const resourceVersion = stringAt(body, 'preconditions', 'resourceVersion');
  const dryRun = request.query.get('dryRun') === 'All' || listAt(body, 'dryRun').includes('All');
  return {
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    preconditions: { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
    dryRun,
  };
}
