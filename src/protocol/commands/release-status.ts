import { answerList } from '../bounded.ts';
import { resourceSchema } from '../resource.ts';
import { defineCommand } from './definition.ts';
import { releaseAnswer } from './release-answer.ts';
import { releaseArgument, releaseIdentity, revisionField } from './release-fields.ts';
import { readinessField } from './wait-fields.ts';

export const releaseStatus = defineCommand({
  summary: 'Returns one revision of a release, and whether its objects are ready.',
  method: 'status',
  fields: { ...releaseIdentity, version: revisionField, readiness: readinessField },
  answer: releaseAnswer.extend({
    resources: answerList(resourceSchema).describe('The objects of the manifest, with their present status'),
  }),
  plainField: 'release',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'status',
    short: 'Show a release, and whether its objects are ready',
    arguments: [releaseArgument],
    examples: ['podinfo -n demo', 'podinfo --revision 2 -o yaml', 'podinfo --watch'],
  },
});
