import { findObject } from '../objects/find-object.ts';
import { actionOperation, uidOf } from './action.ts';

export const operation = actionOperation(
  'resume_rollout',
  async (context, { namespace, name }) => {
    const { ref, object } = await findObject(context, { kind: 'Deployment', apiVersion: 'apps/v1', namespace, name });
    const patch = { spec: { paused: null } };
    return { objects: [object], changes: [{ type: 'patch', ref, uid: uidOf(object), patch, text: 'resumed' }] };
  },
  ({ namespace, name }) => ({ kind: 'Deployment', apiVersion: 'apps/v1', namespace, name }),
);
