import { findObject } from '../objects/find-object.ts';
import { actionOperation, uidOf } from './action.ts';

export const operation = actionOperation(
  'pause_rollout',
  async (context, { namespace, name }) => {
    const { ref, object } = await findObject(context, { kind: 'Deployment', apiVersion: 'apps/v1', namespace, name });
    const patch = { spec: { paused: true } };
    return {
      objects: [object],
      waitFor: [],
      changes: [{ type: 'patch', ref, uid: uidOf(object), patch, text: 'paused' }],
    };
  },
  ({ namespace, name }) => ({ kind: 'Deployment', apiVersion: 'apps/v1', namespace, name }),
);
