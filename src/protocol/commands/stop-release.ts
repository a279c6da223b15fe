import { actionAnswer, actionOptions, stopRights } from './action-fields.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { releaseArgument, releaseIdentity } from './release-fields.ts';

export const stopRelease = defineCommand({
  summary: 'Scales all workloads of a release to zero, and notes on them what they were for `start_release`.',
  method: 'stopRelease',
  fields: { ...releaseIdentity, ...actionOptions },
  answer: actionAnswer,
  plainField: 'changes',
  changes: releaseKey,
  right: 'act',
  resourceRights: stopRights,
  survives: true,
  line: {
    name: 'stop',
    short: 'Scale all workloads of a release to zero',
    arguments: [releaseArgument],
    examples: ['web -n shop'],
  },
});
