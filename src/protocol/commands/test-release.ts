import * as z from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { releaseIdentity } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';
import { releaseAnswer } from './release-answer.ts';

const names = z.array(z.string()).max(10_000).optional();

const testLog = z.object({
  pod: z.string(),
  container: z.string(),
  log: z.string().describe('The end of the log'),
});

export const testRelease = defineCommand({
  summary: 'Runs the tests of a release, until one fails.',
  method: 'test',
  payload: z.object({
    ...releaseIdentity,
    timeout: timeoutField,
    include: names.describe('Names of the tests to run. Default: all'),
    exclude: names.describe('Names of tests not to run. Default: none'),
    logs: z
      .boolean()
      .optional()
      .describe('Send the lines of the tests while they run, and return their logs. Default: false'),
  }),
  answer: releaseAnswer.extend({
    passed: z.boolean().describe('Whether all tests have passed'),
    failure: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .describe('The failure of a test: its code, as in errors, and the reason'),
    logs: z.array(testLog).optional().describe('The logs, if `logs` asks for them'),
  }),
  plainField: 'release',
  changes: releaseKey,
});
