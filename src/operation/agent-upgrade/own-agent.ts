import type { AccessReviewer } from '../../objects/access.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { listAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ReleaseStorage } from '../../release/storage/storage.ts';
import { OperationError } from '../error.ts';
import type { Tracker } from '../tracker/tracker.ts';

/** The pod of the agent, and how the agent itself sees its cluster, its own namespace included. */
export interface OwnPod {
  agentId: string;
  namespace: string;
  /** Name of the pod. */
  name: string;
  /** Name of the Lease of the agent. */
  lease: string;
  storageDriver: string;
  trustReleases: 'own' | 'any';
  cluster: Cluster;
  access: AccessReviewer;
  storage: ReleaseStorage;
  tracker: Tracker;
}

/** The agent in its cluster. */
export interface OwnAgent {
  deployment: KubeObject;
  /** That of the pod, whose template is the version that runs now. */
  replicaSet: KubeObject;
  releaseName: string;
  /** Label `pod-template-hash` of the pod. */
  template: string;
  /** `NAMESPACE/NAME` of the service account. */
  account: string;
}

/** Name of the container of the agent. */
export const agentContainer = 'helm-agent';

/**
 * Finds the Deployment and the release of the agent. Throws `agent_not_upgradable` if it was
 * installed in another way.
 */
export async function findOwnAgent({ cluster, namespace, name }: OwnPod, signal: AbortSignal): Promise<OwnAgent> {
  const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', namespace, name }, signal);
  if (pod === undefined) throw notUpgradable(`there is no pod ${name} in the namespace ${namespace}`);
  const replicaSet = await ownerOf(cluster, pod, 'ReplicaSet', namespace, signal);
  const deployment = replicaSet && (await ownerOf(cluster, replicaSet, 'Deployment', namespace, signal));
  if (replicaSet === undefined || deployment === undefined) {
    throw notUpgradable('its pod does not belong to a Deployment');
  }
  const { name: deploymentName, annotations = {} } = deployment.metadata;
  const releaseName = annotations['meta.helm.sh/release-name'];
  if (releaseName === undefined || annotations['meta.helm.sh/release-namespace'] !== namespace) {
    throw notUpgradable(
      `the Deployment ${deploymentName} does not belong to a release in its namespace; install the chart with helm, or apply a new manifest with kubectl`,
    );
  }
  const containers = listAt(deployment, 'spec', 'template', 'spec', 'containers');
  if (!containers.some((container) => stringAt(container, 'name') === agentContainer)) {
    throw notUpgradable(`the Deployment ${deploymentName} has no container ${agentContainer}`);
  }
  const account = stringAt(pod, 'spec', 'serviceAccountName') ?? 'default';
  const template = pod.metadata.labels?.['pod-template-hash'] ?? '';
  return { deployment, replicaSet, releaseName, template, account: `${namespace}/${account}` };
}

async function ownerOf(
  cluster: Cluster,
  { metadata }: KubeObject,
  kind: string,
  namespace: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const owner = metadata.ownerReferences?.find((one) => one.controller === true && one.kind === kind);
  if (owner === undefined) return undefined;
  const found = await cluster.get({ apiVersion: owner.apiVersion, kind, namespace, name: owner.name }, signal);
  return found?.metadata.uid === owner.uid ? found : undefined;
}

/** Returns the error for an agent that cannot upgrade itself as it is installed. */
export function notUpgradable(reason: string): OperationError {
  return new OperationError('agent_not_upgradable', `the agent cannot upgrade itself: ${reason}`);
}
