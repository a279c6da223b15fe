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

export const resumeRollout = defineCommand({
  summary: 'Continues the rollout of a paused Deployment.',
  method: 'resumeRollout',
  fields: {
    namespace: namespaceField,
    name: deploymentNameField,
    ...actionOptions,
  },
  answer: actionAnswer,
  plainField: 'changes',
  changes: objectKey,
  right: 'act',
  resourceRights: [workloadRights('deployments')],
  survives: true,
  line: {
    name: 'resume',
    short: 'Continue the rollout of a Deployment',
    arguments: [deploymentArgument],
    examples: ['web -n shop'],
  },
});
