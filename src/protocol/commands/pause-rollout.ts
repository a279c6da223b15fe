import { objectName } from '../bounded.ts';
import { actionAnswer, actionOptions, namespaceField, objectKey, workloadRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

export const pauseRollout = defineCommand({
  summary: 'Pauses the rollout of a Deployment: later changes of its pods wait until it is resumed.',
  method: 'pauseRollout',
  fields: {
    namespace: namespaceField,
    name: field(objectName.min(1).describe('Name of the Deployment')),
    timeout: actionOptions.timeout,
  },
  answer: actionAnswer,
  plainField: 'changes',
  changes: objectKey,
  right: 'act',
  resourceRights: [workloadRights('deployments')],
  survives: true,
  line: {
    name: 'pause',
    short: 'Pause the rollout of a Deployment',
    arguments: [
      {
        field: 'name',
        kind: 'name',
        shown: 'DEPLOYMENT',
        ofKind: ['deploy', 'deployment', 'deployments', 'deployment.apps', 'deployments.apps'],
      },
    ],
    examples: ['web -n shop'],
  },
});
