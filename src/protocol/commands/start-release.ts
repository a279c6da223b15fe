import { actionAnswer, actionOptions, stopRights } from './action-fields.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { releaseArgument, releaseIdentity } from './release-fields.ts';

export const startRelease = defineCommand({
  summary: 'Brings the workloads of a release back to what they were before `stop_release`.',
  method: 'startRelease',
  fields: { ...releaseIdentity, ...actionOptions },
  answer: actionAnswer,
  plainField: 'changes',
  changes: releaseKey,
  right: 'act',
  resourceRights: stopRights,
  survives: true,
  line: {
    name: 'start',
    short: 'Start the workloads of a stopped release',
    arguments: [releaseArgument],
    examples: ['web -n shop'],
  },
});
