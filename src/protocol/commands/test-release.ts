import * as z from 'zod';
import { answerList, longText, objectName } from '../bounded.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { field } from './field.ts';
import { releaseAnswer } from './release-answer.ts';
import { releaseIdentity } from './release-fields.ts';
import { timeoutField, timeoutScopeField } from './wait-fields.ts';

const names = z.array(objectName).max(10_000).optional();

const testLog = z.object({
  pod: longText,
  container: longText,
  log: longText.describe('The end of the log'),
});

export const testRelease = defineCommand({
  summary: 'Runs the tests of a release, until one fails.',
  method: 'test',
  fields: {
    ...releaseIdentity,
    timeout: timeoutField,
    timeoutScope: timeoutScopeField,
    include: field(names.describe('Names of the tests to run. Default: all')),
    exclude: field(names.describe('Names of tests not to run. Default: none')),
    logs: field(
      z
        .boolean()
        .optional()
        .describe('Send the lines of the tests while they run, and return their logs. Default: false'),
      { name: 'logs', kind: 'switch', help: 'print the logs of the tests' },
    ),
  },
  answer: releaseAnswer.extend({
    passed: z.boolean().describe('Whether all tests have passed'),
    failure: z
      .object({ code: longText, message: longText })
      .optional()
      .describe('The failure of a test: its code, as in errors, and the reason'),
    logs: answerList(testLog).optional().describe('The logs, if `logs` asks for them'),
  }),
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'test',
    short: 'Run the tests of a release',
    arguments: [{ field: 'releaseName', kind: 'release', shown: '[RELEASE]' }],
    examples: ['podinfo -n demo --logs', 'podinfo --filter name=smoke'],
  },
});
