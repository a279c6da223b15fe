import * as z from 'zod';
import { resourceSchema } from '../resource.ts';
import { defineCommand } from './definition.ts';
import { releaseIdentity, revisionField } from './release-fields.ts';
import { readinessField } from './wait-fields.ts';
import { releaseAnswer } from './release-answer.ts';

export const releaseStatus = defineCommand({
  summary: 'Returns one revision of a release, and whether its objects are ready.',
  method: 'status',
  payload: z.object({ ...releaseIdentity, version: revisionField, readiness: readinessField }),
  answer: releaseAnswer.extend({
    resources: z.array(resourceSchema).describe('The objects of the manifest, with their present status'),
  }),
  plainField: 'release',
  changes: () => undefined,
});
