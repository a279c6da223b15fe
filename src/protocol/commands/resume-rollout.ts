import { objectName } from '../bounded.ts';
import { actionAnswer, actionOptions, namespaceField, objectKey, workloadRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

export const resumeRollout = defineCommand({
  summary: 'Continues the rollout of a paused Deployment.',
  method: 'resumeRollout',
  fields: {
    namespace: namespaceField,
    name: field(objectName.min(1).describe('Name of the Deployment')),
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
