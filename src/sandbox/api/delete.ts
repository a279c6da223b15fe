import { listAt, numberAt, stringAt } from '../../objects/fields.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { DeleteRequest } from '../cluster/deletion.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { parseJson } from './body.ts';
import { listDocument } from './list.ts';
import type { ObjectAddress } from './object-address.ts';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, ok } from './response.ts';
import { selectedObjects, type Selection } from './selection.ts';

/**
 * Handles DELETE of one object. Responds with a Status if the object is gone, with the object if it
 * is still terminating.
 */
export function deleteObject(
  state: ClusterState,
  { type, namespace, name }: ObjectAddress,
  request: ApiRequest,
): ApiResponse {
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

/** Handles DELETE of a collection. Responds with the list of the objects before their deletion. */
export function deleteCollection(
  state: ClusterState,
  type: ResourceType,
  selection: Selection,
  request: ApiRequest,
): ApiResponse {
  const before = listDocument(state.store, type, selection, new URLSearchParams());
  for (const object of selectedObjects(state.store, type, selection)) {
    state.objects.remove(type, object.metadata.namespace ?? '', object.metadata.name, deleteRequest(request));
  }
  return ok(before);
}

/** Reads the DeleteOptions, which may be in the body or in the query. */
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
