import {
  actionAnswer,
  actionOptions,
  deploymentArgument,
  deploymentNameField,
  namespaceField,
  objectKey,
  workloadRights,
} from './action-fields.ts';
import { defineCommand } from './definition.ts';

export const pauseRollout = defineCommand({
  summary: 'Pauses the rollout of a Deployment: later changes of its pods wait until it is resumed.',
  method: 'pauseRollout',
  fields: {
    namespace: namespaceField,
    name: deploymentNameField,
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
    arguments: [deploymentArgument],
    examples: ['web -n shop'],
  },
});
