import { objectAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { serverMilliseconds } from '../clock.ts';
import { findObject } from '../objects/find-object.ts';
import { actionOperation, operationAnnotation, uidOf } from './action.ts';

/** Longest name of a Job, so that its pods have one, too. */
const maxName = 63;

export const operation = actionOperation('run_job', async (context, request) => {
  const { namespace, name } = request;
  const { ref, object } = await findObject(context, { kind: 'CronJob', apiVersion: 'batch/v1', namespace, name });
  const suffix = `-${Math.floor(serverMilliseconds(context) / 1000).toString(36)}`;
  const { jobName = `${name.slice(0, maxName - suffix.length)}${suffix}` } = request;
  const template = objectAt(object, 'spec', 'jobTemplate');
  const metadata = objectAt(template, 'metadata');
  // as `kubectl create job --from` does
  const annotations = {
    ...(objectAt(metadata, 'annotations') as Record<string, string>), // as the API defines it
    'cronjob.kubernetes.io/instantiate': 'manual',
    [operationAnnotation]: context.id ?? '',
  };
  const controller = { apiVersion: ref.apiVersion, kind: ref.kind, name, uid: uidOf(object), controller: true };
  const job: KubeObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName,
      namespace,
      labels: objectAt(metadata, 'labels') as Record<string, string>, // as the API defines it
      annotations,
      ownerReferences: [controller],
    },
    spec: objectAt(template, 'spec'),
  };
  const created = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: jobName };
  return { objects: [object], changes: [{ type: 'create', ref: created, object: job, text: 'created' }] };
});
