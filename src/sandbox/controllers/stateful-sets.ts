import { isJsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Controller, type ControllerTools, itself, ownerOf } from './controller.ts';
import { currentRevision, revisionLabel } from './controller-revisions.ts';
import { podFromTemplate } from './pod-template.ts';
import { controlledBy, isPodReady, keyOf, liveObject, pods, typeOf, writeStatus } from './workload.ts';

const podIndexLabel = 'apps.kubernetes.io/pod-index';

/** Runs the numbered pods of a StatefulSet, one after the other or in parallel. */
export const statefulSetController: Controller = {
  name: 'statefulset',
  watches: { 'apps/statefulsets': itself, [pods]: ownerOf('StatefulSet') },
  reconcile(key, tools) {
    const set = liveObject(tools, 'apps/statefulsets', key);
    if (!set) return;
    const revision = currentRevision(tools, set);
    const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
    if (scale(tools, set, wanted, revision.name)) update(tools, set, wanted, revision.name);
    writeStatefulSetStatus(tools, set, wanted, revision.name);
  },
};

function ordinalOf(pod: KubeObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
}

/**
 * Creates missing pods and deletes surplus ones. Returns whether the set has exactly the desired
 * pods, all of them ready.
 */
function scale(tools: ControllerTools, set: KubeObject, wanted: number, revision: string): boolean {
  const { namespace } = keyOf(set);
  const parallel = stringAt(set, 'spec', 'podManagementPolicy') === 'Parallel';
  const type = typeOf(tools, 'v1', 'Pod');
  const all = controlledBy(tools, set, pods);
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = all.find((candidate) => ordinalOf(candidate) === ordinal);
    if (!pod) {
      claimVolumes(tools, set, ordinal);
      tools.objects.create(type, namespace, numberedPod(set, ordinal, revision));
      if (!parallel) return false;
    } else if (!parallel && !isPodReady(pod)) {
      return replaceBroken(tools, pod, revision);
    }
  }
  const surplus = all.filter((pod) => ordinalOf(pod) >= wanted).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  for (const pod of parallel ? surplus : surplus.slice(0, 1)) {
    if (pod.metadata.deletionTimestamp === undefined) tools.objects.remove(type, namespace, pod.metadata.name);
  }
  return surplus.length === 0 && all.length === wanted;
}

/** Deletes a pod of an old revision that is not ready, so that it does not block the update. */
function replaceBroken(tools: ControllerTools, pod: KubeObject, revision: string): boolean {
  if (pod.metadata.labels?.[revisionLabel] === revision || pod.metadata.deletionTimestamp !== undefined) return false;
  tools.objects.remove(typeOf(tools, 'v1', 'Pod'), pod.metadata.namespace ?? '', pod.metadata.name);
  return false;
}

function numberedPod(set: KubeObject, ordinal: number, revision: string): KubeObject {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    [podIndexLabel]: String(ordinal),
    [revisionLabel]: revision,
  };
  const pod = podFromTemplate(set, { name }, labels);
  const claims = objectsAt(set, 'spec', 'volumeClaimTemplates').map(
    (claim) => stringAt(claim, 'metadata', 'name') ?? '',
  );
  const spec = objectAt(pod, 'spec');
  const own = objectsAt(spec, 'volumes').filter((volume) => !claims.includes(stringAt(volume, 'name') ?? ''));
  const claimed = claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } }));
  const serviceName = stringAt(set, 'spec', 'serviceName');
  return {
    ...pod,
    spec: { ...spec, hostname: name, ...(serviceName && { subdomain: serviceName }), volumes: [...own, ...claimed] },
  };
}

function claimVolumes(tools: ControllerTools, set: KubeObject, ordinal: number): void {
  const type = typeOf(tools, 'v1', 'PersistentVolumeClaim');
  const { namespace, name } = keyOf(set);
  for (const template of objectsAt(set, 'spec', 'volumeClaimTemplates')) {
    const claim = `${stringAt(template, 'metadata', 'name') ?? ''}-${name}-${ordinal}`;
    if (tools.objects.find(type, namespace, claim)) continue;
    // Checked when the set was written.
    const labels = objectAt(set, 'spec', 'selector', 'matchLabels') as Record<string, string>;
    tools.objects.create(type, namespace, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claim, namespace, labels },
      spec: isJsonObject(template['spec']) ? structuredClone(template['spec']) : {},
    });
  }
}

/**
 * Replaces pods of an old revision one at a time, from the highest number down to the partition.
 */
function update(tools: ControllerTools, set: KubeObject, wanted: number, revision: string): void {
  if (stringAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
  const partition = numberAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
  const all = controlledBy(tools, set, pods).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  for (const pod of all) {
    const isOld = pod.metadata.labels?.[revisionLabel] !== revision;
    if (ordinalOf(pod) < wanted && ordinalOf(pod) >= partition && isOld) {
      if (pod.metadata.deletionTimestamp === undefined) {
        tools.objects.remove(typeOf(tools, 'v1', 'Pod'), pod.metadata.namespace ?? '', pod.metadata.name);
      }
      return;
    }
    if (!isPodReady(pod)) return;
  }
}

function writeStatefulSetStatus(tools: ControllerTools, set: KubeObject, wanted: number, updateRevision: string): void {
  const all = controlledBy(tools, set, pods).filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const ready = all.filter(isPodReady);
  const updated = all.filter((pod) => pod.metadata.labels?.[revisionLabel] === updateRevision);
  const done = updated.length === wanted && all.length === wanted && updated.every(isPodReady);
  const before = stringAt(set, 'status', 'currentRevision');
  const currentRevisionName = done || before === undefined ? updateRevision : before;
  const current = all.filter((pod) => pod.metadata.labels?.[revisionLabel] === currentRevisionName);
  writeStatus(tools, set, {
    observedGeneration: set.metadata.generation,
    replicas: all.length,
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(current.length > 0 && { currentReplicas: current.length }),
    ...(updated.length > 0 && { updatedReplicas: updated.length }),
    availableReplicas: ready.length,
    currentRevision: currentRevisionName,
    updateRevision,
    collisionCount: 0,
  });
}
