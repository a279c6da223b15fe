import * as z from 'zod';
import { answerList, longText } from '../bounded.ts';
import { releaseSchema } from '../release.ts';

/** The answer of the commands that return one release. */
export const releaseAnswer = z.object({
  release: releaseSchema,
  omitted: answerList(longText).optional().describe('The fields that the packet had no room for'),
});

const field = z.object({
  path: longText.describe('Such as `spec.template.spec.containers[name=app].image`'),
  before: z.unknown().optional().describe('Absent if the field is added'),
  after: z.unknown().optional().describe('Absent if the field is removed'),
});

/** An object that differs. */
export const difference = z.object({
  change: z
    .enum(['added', 'changed', 'recreated', 'removed', 'unknown'])
    .describe('`recreated`: deleted and created again; `unknown`: the API server would refuse the object'),
  apiVersion: longText,
  kind: longText,
  namespace: longText.optional(),
  name: longText,
  fields: answerList(field).optional().describe('The fields that differ; values of Secrets are `***`'),
  reason: longText.optional().describe('Why the change is unknown, or was not checked'),
});

/** The signature of a chart that the agent has verified. */
export const chartSignatureSchema = z.object({
  by: longText.describe('Name of the key in the policy of the agent'),
  scheme: z.enum(['provenance', 'cosign']),
  key: longText.describe('Fingerprint of the key'),
  issuer: longText.optional().describe('Of a signature without a key: who has checked the identity'),
  identity: longText.optional().describe('Of a signature without a key: who has signed, as the certificate says it'),
  digest: longText.describe('`sha256:HEX` of what is signed: of the archive, or of the manifest in a registry'),
});

/** The answer of the commands that deploy a chart. */
export const deployAnswer = releaseAnswer.extend({
  unchanged: z
    .boolean()
    .optional()
    .describe('True if `unchanged: "skip"` has left the deployed revision as it is; `release` is that revision'),
  chartSignature: chartSignatureSchema
    .optional()
    .describe(
      'The signature of the chart: `by`, `scheme`, `key` and `digest`, and `issuer` and `identity` of one without a key. Absent if none was verified',
    ),
  differences: answerList(difference)
    .optional()
    .describe('With `dryRun: "server"`: the objects that would change, as the API server would admit them'),
});
