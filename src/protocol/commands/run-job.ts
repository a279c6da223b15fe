import { objectName } from '../bounded.ts';
import { actionAnswer, actionOptions, namespaceField, objectKey } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

/** As Kubernetes allows the names of Jobs. */
const jobNamePattern = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

export const runJob = defineCommand({
  summary: 'Runs a CronJob now, as `kubectl create job --from` does, and waits until the Job has completed.',
  method: 'runJob',
  fields: {
    namespace: namespaceField,
    name: field(objectName.min(1).describe('Name of the CronJob')),
    jobName: field(
      objectName
        .regex(jobNamePattern)
        .optional()
        .describe('Name of the new Job. Default: that of the CronJob and the time'),
      {
        name: 'job-name',
        kind: 'text',
        only: 'ctl',
        help: 'name of the new Job',
      },
    ),
    ...actionOptions,
  },
  answer: actionAnswer,
  plainField: 'changes',
  changes: objectKey,
  right: 'act',
  resourceRights: [{ group: 'batch', resources: ['cronjobs', 'jobs'], verbs: ['get', 'list', 'watch', 'create'] }],
  survives: true,
  line: {
    name: 'run-job',
    short: 'Run a CronJob now',
    arguments: [
      {
        field: 'name',
        kind: 'name',
        shown: 'CRONJOB',
        ofKind: ['cj', 'cronjob', 'cronjobs', 'cronjob.batch', 'cronjobs.batch'],
      },
    ],
    examples: ['backup -n shop'],
  },
});
