import { defineCommand } from './definition.ts';
import { driftAnswer, ignoreField } from './drift-fields.ts';
import { releaseArgument, releaseIdentity } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';

export const driftRelease = defineCommand({
  summary: 'Returns the objects of a release that are no longer as its newest revision has them.',
  method: 'drift',
  fields: { ...releaseIdentity, ignore: ignoreField, timeout: timeoutField },
  answer: driftAnswer,
  plainField: 'drift',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'drift',
    short: 'Show which objects of a release were changed in the cluster',
    long: 'Show which objects of a release were changed in the cluster, by whom, and how. The exit code is 0 if none was, 2 if one was, and 1 if that could not be found out.',
    arguments: [releaseArgument],
    examples: ['web -n shop', 'web --ignore /spec/replicas --ignore Secret/token:*', 'web --watch', 'web --correct'],
  },
});
