import { numberAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import { OperationError } from '../error.ts';
import { findObject } from '../objects/find-object.ts';
import { actionOperation, uidOf } from './action.ts';

/** The kinds with a number of pods. */
const kinds = ['apps/Deployment', 'apps/StatefulSet', 'apps/ReplicaSet', 'ReplicationController'];

export const operation = actionOperation(
  'scale_workload',
  async (context, request) => {
    const { ref, object } = await findObject(context, request);
    if (!kinds.includes(groupKind(ref))) {
      throw new OperationError(
        'bad_request',
        `a ${ref.kind} cannot be scaled, only a Deployment, a StatefulSet, a ReplicaSet or a ReplicationController`,
      );
    }
    const controller = object.metadata.ownerReferences?.find((owner) => owner.controller === true);
    if (controller !== undefined) {
      throw new OperationError(
        'bad_request',
        `${ref.kind} ${ref.name} belongs to ${controller.kind} ${controller.name}, which sets its number of pods; scale that`,
      );
    }
    const { replicas } = request;
    const text = `scaled from ${numberAt(object, 'spec', 'replicas') ?? 1} to ${replicas}`;
    return {
      objects: [object],
      changes: [{ type: 'patch', ref, uid: uidOf(object), patch: { spec: { replicas } }, text }],
    };
  },
  (request) => request,
);
