import { isJsonObject, listAt, objectAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { operationAnnotation } from '../act/action.ts';
import { agentContainer, type OwnPod } from './own-agent.ts';
import { trialName } from './trial.ts';

/** Time for which an ended Job is kept, in seconds. */
const keptSeconds = 600;

/** The kubelet and the Job start a guardian again until the upgrade has ended. */
const maxRestarts = 1000;

/** Fields of a container that a guardian needs, too. The image is the one that runs now. */
const containerFields = ['image', 'imagePullPolicy', 'resources', 'securityContext', 'command'];

/** Fields of a pod that say where and as whom it runs. */
const podFields = [
  ...['serviceAccountName', 'automountServiceAccountToken', 'imagePullSecrets', 'securityContext', 'priorityClassName'],
  ...['nodeSelector', 'tolerations', 'affinity', 'runtimeClassName', 'hostAliases', 'dnsConfig', 'dnsPolicy'],
];

export function guardianRef({ namespace, agentId }: Pick<OwnPod, 'namespace' | 'agentId'>): ObjectRef {
  return { apiVersion: 'batch/v1', kind: 'Job', namespace, name: trialName(agentId) };
}

/**
 * Returns the Job of the guardian: the version of the agent in the template of a workload. It needs
 * none of the objects that an upgrade may change or remove, except its service account.
 */
export function guardianJob(
  own: Pick<OwnPod, 'namespace' | 'agentId' | 'storageDriver' | 'trustReleases'>,
  id: string,
  workload: KubeObject,
): KubeObject {
  const { apiVersion, kind, namespace = '', name } = guardianRef(own);
  const spec = objectAt(workload, 'spec', 'template', 'spec');
  const container = listAt(spec, 'containers').find((one) => stringAt(one, 'name') === agentContainer);
  const labels = { 'app.kubernetes.io/managed-by': 'helm-agent', 'app.kubernetes.io/component': 'upgrade-guardian' };
  const args = ['guard', '--agent-id', own.agentId, '--storage-driver', own.storageDriver];
  const guardian = {
    ...picked(container, containerFields),
    name: 'guardian',
    args: [...args, '--trust-releases', own.trustReleases],
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
  return {
    ...{ apiVersion, kind },
    metadata: { namespace, name, labels, annotations: { [operationAnnotation]: id } },
    spec: {
      backoffLimit: maxRestarts,
      ttlSecondsAfterFinished: keptSeconds,
      template: {
        metadata: { labels },
        spec: {
          ...picked(spec, podFields),
          restartPolicy: 'OnFailure',
          containers: [guardian],
          volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '128Mi' } }],
        },
      },
    },
  };
}

function picked(data: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = isJsonObject(data) ? Object.entries(data) : [];
  return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
}
