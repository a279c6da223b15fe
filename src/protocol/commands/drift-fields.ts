import * as z from 'zod';
import { answerList } from '../bounded.ts';
import { driftSchema } from '../drift.ts';
import { field } from './field.ts';

export const ignoreField = field(
  z
    .array(z.string().min(1).max(1024))
    .max(100)
    .optional()
    .describe(
      'Fields that may differ, as JSON pointers: `/spec/replicas`, `Deployment:/spec/replicas` of a kind, `Deployment/web:/spec/replicas` of an object; `*` in place of a pointer ignores the whole object. Default: none',
    ),
);

/** The answer of commands that compare a release with the cluster. */
export const driftAnswer = z.object({
  revision: z.int().describe('The revision that the objects were compared with'),
  drift: answerList(driftSchema).describe('The objects that differ, without hooks'),
  unchanged: z.int().describe('Number of objects that are as the release has them'),
});
