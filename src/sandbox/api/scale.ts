import { ensureObject, numberAt, objectAt } from '../../objects/fields.ts';
import { badRequest } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { parseJson } from './body.ts';
import { updateRequest } from './create-and-replace.ts';
import type { ObjectAddress } from './object-address.ts';
import { type ApiRequest, requireJson } from './request.ts';
import { type ApiResponse, ok } from './response.ts';

/** Returns the `scale` subresource of a workload. */
export function readScale(state: ClusterState, { type, namespace, name }: ObjectAddress): unknown {
  const object = state.objects.get(type, namespace, name);
  const { uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, 'spec', 'replicas') ?? 0;
  const labels = objectAt(object, 'spec', 'selector', 'matchLabels');
  const selector = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas > 0 ? { replicas } : {},
    status: { replicas: numberAt(object, 'status', 'replicas') ?? 0, selector: selector.join(',') },
  };
}

/** Handles PUT of the `scale` subresource. */
export function writeScale(state: ClusterState, address: ObjectAddress, request: ApiRequest): ApiResponse {
  requireJson(request);
  const replicas = numberAt(parseJson(request.body), 'spec', 'replicas');
  if (replicas === undefined) throw badRequest('a Scale needs spec.replicas');
  state.objects.update(
    address.type,
    address.namespace,
    address.name,
    (object) => {
      ensureObject(object, 'spec')['replicas'] = replicas;
      return object;
    },
    updateRequest(state, request, 'scale'),
  );
  return ok(readScale(state, address));
}
