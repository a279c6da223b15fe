import { ensureObject, fieldAt, numberAt, objectAt, removeField, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Controller, type ControllerTools, itself, ownerOf } from './controller.ts';
import { writeDeploymentStatus } from './deployment-status.ts';
import { recordEvent } from './events.ts';
import { stableJson, templateHash } from './pod-template.ts';
import { controlledBy, controllerReference, intOrPercent, keyOf, liveObject, pods, typeOf } from './workload.ts';

const revisionAnnotation = 'deployment.kubernetes.io/revision';
const hashLabel = 'pod-template-hash';
const replicaSets = 'apps/replicasets';

/**
 * Rolls out the template of a Deployment: scales up the ReplicaSet of the new revision, and scales
 * down the old ones.
 */
export const deploymentController: Controller = {
  name: 'deployment',
  watches: { 'apps/deployments': itself, [replicaSets]: ownerOf('Deployment') },
  reconcile(key, tools) {
    const deployment = liveObject(tools, 'apps/deployments', key);
    if (!deployment) return;
    const paused = fieldAt(deployment, 'spec', 'paused') === true;
    const owned = (): KubeObject[] => controlledBy(tools, deployment, replicaSets);
    const current = owned().find((set) => templateOf(set) === templateOf(deployment));
    if (!paused) {
      const newSet = withNextRevision(tools, deployment, owned(), current);
      const oldSets = owned().filter((set) => set.metadata.uid !== newSet.metadata.uid);
      if (stringAt(deployment, 'spec', 'strategy', 'type') === 'Recreate') recreate(tools, deployment, newSet, oldSets);
      else roll(tools, deployment, newSet, oldSets);
      deleteOldReplicaSets(tools, deployment, oldSets);
    }
    const all = owned();
    writeDeploymentStatus(tools, deployment, {
      all,
      current: all.find((set) => templateOf(set) === templateOf(deployment)),
    });
  },
};

/** Returns the template as text, without the hash label. */
function templateOf(object: KubeObject): string {
  const template = structuredClone(objectAt(object, 'spec', 'template'));
  removeField(ensureObject(template, 'metadata', 'labels'), hashLabel);
  return stableJson(template);
}

function revisionOf(object: KubeObject): number {
  return Number(object.metadata.annotations?.[revisionAnnotation] ?? 0);
}

/**
 * Returns the ReplicaSet of the template, and creates it if there is none. Annotates it and the
 * Deployment with the highest revision.
 */
function withNextRevision(
  tools: ControllerTools,
  deployment: KubeObject,
  all: KubeObject[],
  current: KubeObject | undefined,
): KubeObject {
  const highestOther = Math.max(0, ...all.filter((set) => set !== current).map(revisionOf));
  const revision = String(current && revisionOf(current) > highestOther ? revisionOf(current) : highestOther + 1);
  const set = current ? annotate(tools, current, revision) : createReplicaSet(tools, deployment, revision);
  annotate(tools, deployment, revision);
  return set;
}

function annotate(tools: ControllerTools, object: KubeObject, revision: string): KubeObject {
  if (object.metadata.annotations?.[revisionAnnotation] === revision) return object;
  const { namespace, name } = keyOf(object);
  return tools.objects.update(typeOf(tools, 'apps/v1', object.kind), namespace, name, (next) => {
    next.metadata.annotations = { ...next.metadata.annotations, [revisionAnnotation]: revision };
    return next;
  });
}

function createReplicaSet(tools: ControllerTools, deployment: KubeObject, revision: string): KubeObject {
  const { namespace, name } = keyOf(deployment);
  const template = structuredClone(objectAt(deployment, 'spec', 'template'));
  const hash = templateHash(template);
  ensureObject(template, 'metadata', 'labels')[hashLabel] = hash;
  const selector = structuredClone(objectAt(deployment, 'spec', 'selector'));
  ensureObject(selector, 'matchLabels')[hashLabel] = hash;
  const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  return tools.objects.create(typeOf(tools, 'apps/v1', 'ReplicaSet'), namespace, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      // Checked when the Deployment was written.
      labels: objectAt(template, 'metadata', 'labels') as Record<string, string>,
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: { replicas: 0, selector, template },
  });
}

function scale(tools: ControllerTools, deployment: KubeObject, set: KubeObject, replicas: number): void {
  const before = numberAt(set, 'spec', 'replicas') ?? 0;
  if (before === replicas) return;
  const { namespace, name } = keyOf(set);
  tools.objects.update(typeOf(tools, 'apps/v1', 'ReplicaSet'), namespace, name, (next) => {
    ensureObject(next, 'spec')['replicas'] = replicas;
    return next;
  });
  const direction = replicas > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`;
  recordEvent(tools, deployment, {
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message,
    component: 'deployment-controller',
  });
}

function roll(tools: ControllerTools, deployment: KubeObject, newSet: KubeObject, oldSets: KubeObject[]): void {
  const wanted = numberAt(deployment, 'spec', 'replicas') ?? 1;
  const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const surge = intOrPercent(rolling['maxSurge'], wanted, 'up');
  const mayMiss = intOrPercent(rolling['maxUnavailable'], wanted, 'down');
  const maxUnavailable = surge === 0 && mayMiss === 0 ? 1 : mayMiss;

  const sizes = new Map(oldSets.map((set) => [set, numberAt(set, 'spec', 'replicas') ?? 0]));
  const oldTotal = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const newSize = numberAt(newSet, 'spec', 'replicas') ?? 0;
  const room = Math.max(0, wanted + surge - oldTotal - newSize);
  scale(tools, deployment, newSet, newSize > wanted ? wanted : Math.min(wanted, newSize + room));

  const available = (set: KubeObject): number => numberAt(set, 'status', 'availableReplicas') ?? 0;
  let spare = [newSet, ...oldSets].reduce((sum, set) => sum + available(set), 0) - (wanted - maxUnavailable);
  for (const [set, size] of sizes) {
    const unavailable = Math.max(0, size - available(set)); // unavailable pods can be removed first
    const healthy = Math.min(size - unavailable, Math.max(0, spare));
    spare -= healthy;
    scale(tools, deployment, set, size - unavailable - healthy);
  }
}

function recreate(tools: ControllerTools, deployment: KubeObject, newSet: KubeObject, oldSets: KubeObject[]): void {
  for (const set of oldSets) scale(tools, deployment, set, 0);
  const left = oldSets.some((set) => controlledBy(tools, set, pods).length > 0);
  if (left) tools.requeueAfter(100);
  else scale(tools, deployment, newSet, numberAt(deployment, 'spec', 'replicas') ?? 1);
}

/** Deletes the oldest ReplicaSets without pods, beyond `revisionHistoryLimit`. */
function deleteOldReplicaSets(tools: ControllerTools, deployment: KubeObject, oldSets: KubeObject[]): void {
  const limit = numberAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10;
  const idle = oldSets.filter(
    (set) => numberAt(set, 'spec', 'replicas') === 0 && numberAt(set, 'status', 'replicas') === 0,
  );
  const dropped = idle.sort((a, b) => revisionOf(b) - revisionOf(a)).slice(limit);
  for (const set of dropped) {
    const { namespace, name } = keyOf(set);
    tools.objects.remove(typeOf(tools, 'apps/v1', 'ReplicaSet'), namespace, name);
  }
}
