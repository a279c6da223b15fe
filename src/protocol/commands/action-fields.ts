import * as z from 'zod';
import { answerList, longText, objectName } from '../bounded.ts';
import type { ResourceRights } from './definition.ts';
import { field } from './field.ts';
import { timeoutField } from './wait-fields.ts';

/** The options of commands that change what runs. */
export const actionOptions = {
  timeout: timeoutField,
  wait: field(z.boolean().optional().describe('Wait until the objects are ready, as after an upgrade. Default: true'), {
    name: 'wait',
    kind: 'toggle',
    only: 'ctl',
    help: 'wait until the objects are ready',
  }),
};

export const namespaceField = field(objectName.default('default').describe('Namespace of the object'));

export const deploymentNameField = field(objectName.min(1).describe('Name of the Deployment'));

/** The argument of {@link deploymentNameField}, as `web` or `deploy/web`. */
export const deploymentArgument = {
  field: 'name',
  kind: 'name',
  shown: 'DEPLOYMENT',
  ofKind: ['deploy', 'deployment', 'deployments', 'deployment.apps', 'deployments.apps'],
} as const;

/** Names the pod of a command that connects to one. */
export const podNameField = field(
  objectName
    .optional()
    .describe(
      'Name of the pod, or kind and name of a workload: `deploy/web`, `job/backup`, `cronjob/backup` for its newest Job. The pod that has been ready for the longest time is taken, or one that runs if none is ready',
    ),
);

/** Names the release of that pod instead. */
export const podReleaseField = field(
  objectName.optional().describe('Name of a release, of which a pod is taken in the same way'),
  { name: 'release', kind: 'text', only: 'ctl', help: 'take a pod of a release, instead of naming one' },
);

/** The answer of commands that change what runs. */
export const actionAnswer = z.object({
  changes: answerList(
    z.object({
      apiVersion: longText,
      kind: longText,
      namespace: longText.optional(),
      name: longText,
      change: longText.describe('Such as `scaled from 2 to 5`'),
    }),
  ).describe('The objects that were changed. Empty if all were as requested'),
});

/** Returns the key by which commands on an object run one after the other. */
export function objectKey({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/objects/${name}`;
}

const readVerbs = ['get', 'list', 'watch'];

/** Returns the rights of a command that changes workloads of the group apps. */
export function workloadRights(...resources: readonly string[]): ResourceRights {
  return { group: 'apps', resources, verbs: [...readVerbs, 'patch'] };
}

/** The rights of commands that change the number of pods. */
export const scaleRights: readonly ResourceRights[] = [
  workloadRights('deployments', 'statefulsets', 'replicasets'),
  { group: '', resources: ['replicationcontrollers'], verbs: [...readVerbs, 'patch'] },
];

/** The rights of commands that stop and start all that a release runs. */
export const stopRights: readonly ResourceRights[] = [
  ...scaleRights,
  workloadRights('daemonsets'),
  { group: 'batch', resources: ['cronjobs'], verbs: [...readVerbs, 'patch'] },
];

/** The rights of commands that find a pod by its name, a workload or a release. */
export const podRights: readonly ResourceRights[] = [
  { group: '', resources: ['pods', 'replicationcontrollers'], verbs: readVerbs },
  { group: 'apps', resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], verbs: readVerbs },
  { group: 'batch', resources: ['jobs', 'cronjobs'], verbs: readVerbs },
];
