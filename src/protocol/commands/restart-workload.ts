import { actionAnswer, actionOptions, objectKey, workloadRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { objectArguments, objectIdentity } from './object-fields.ts';

export const restartWorkload = defineCommand({
  summary: 'Replaces the pods of a workload, as `kubectl rollout restart` does.',
  method: 'restartWorkload',
  fields: { ...objectIdentity, ...actionOptions },
  answer: actionAnswer,
  plainField: 'changes',
  changes: objectKey,
  right: 'act',
  resourceRights: [workloadRights('deployments', 'statefulsets', 'daemonsets')],
  survives: true,
  line: {
    name: 'restart',
    short: 'Replace the pods of a workload',
    arguments: [...objectArguments],
    examples: ['deploy/web -n shop'],
  },
});
