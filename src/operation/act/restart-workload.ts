import { fieldAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import { serverMilliseconds } from '../clock.ts';
import { OperationError } from '../error.ts';
import { findObject } from '../objects/find-object.ts';
import { actionOperation, uidOf } from './action.ts';

/** The kinds that `kubectl rollout restart` accepts. */
const kinds = ['apps/Deployment', 'apps/DaemonSet', 'apps/StatefulSet'];

export const operation = actionOperation(
  'restart_workload',
  async (context, request) => {
    const { ref, object } = await findObject(context, request);
    if (!kinds.includes(groupKind(ref))) {
      throw new OperationError(
        'bad_request',
        `a ${ref.kind} cannot be restarted, only a Deployment, a StatefulSet or a DaemonSet; delete_pod replaces a single pod`,
      );
    }
    if (fieldAt(object, 'spec', 'paused') === true) {
      throw new OperationError(
        'bad_request',
        `Deployment ${ref.name} is paused, so its pods would stay; resume it first`,
      );
    }
    const restartedAt = new Date(serverMilliseconds(context)).toISOString();
    const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt };
    const patch = { spec: { template: { metadata: { annotations } } } };
    return { objects: [object], changes: [{ type: 'patch', ref, uid: uidOf(object), patch, text: 'restarted' }] };
  },
  (request) => request,
);
