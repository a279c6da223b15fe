import * as z from 'zod';
import { answerList } from '../bounded.ts';
import { driftSchema } from '../drift.ts';
import { maxMessageLength, maxNameLength } from '../resource.ts';
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

/** For results of commands that follow a release, and compare it again and again. */
export const uncomparedField = z
  .object({
    code: z.string().max(maxNameLength).describe('An error code of docs/errors.md'),
    message: z.string().max(maxMessageLength).describe('What kept the objects from being compared'),
  })
  .optional()
  .describe('Why the objects could not be compared at the end, so that `drift` does not say how they are');

/** The answer of commands that compare a release with the cluster. */
export const driftAnswer = z.object({
  revision: z.int().describe('The revision that the objects were compared with'),
  drift: answerList(driftSchema).describe('The objects that differ, without hooks'),
  unchanged: z.int().describe('Number of objects that are as the release has them'),
});
