import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Controller, type ControllerTools, itself, ownerOf } from './controller.ts';
import { currentRevision, revisionLabel } from './controller-revisions.ts';
import { podFromTemplate } from './pod-template.ts';
import { controlledBy, isPodReady, keyOf, liveObject, pods, typeOf, writeStatus } from './workload.ts';

/** Runs one pod of a DaemonSet, on the only node. */
export const daemonSetController: Controller = {
  name: 'daemonset',
  watches: { 'apps/daemonsets': itself, [pods]: ownerOf('DaemonSet') },
  reconcile(key, tools) {
    const set = liveObject(tools, 'apps/daemonsets', key);
    if (!set) return;
    const { hash } = currentRevision(tools, set);
    const [pod] = controlledBy(tools, set, pods);
    if (!pod) createPod(tools, set, hash);
    else if (isOutdated(pod, hash) && stringAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete') {
      tools.objects.remove(typeOf(tools, 'v1', 'Pod'), key.namespace, pod.metadata.name);
    }
    writeDaemonSetStatus(tools, set, hash);
  },
};

function isOutdated(pod: KubeObject, hash: string): boolean {
  return pod.metadata.labels?.[revisionLabel] !== hash && pod.metadata.deletionTimestamp === undefined;
}

function createPod(tools: ControllerTools, set: KubeObject, hash: string): void {
  const { namespace, name } = keyOf(set);
  const pod = podFromTemplate(
    set,
    { generateName: `${name}-` },
    { [revisionLabel]: hash, 'pod-template-generation': '1' },
  );
  tools.objects.create(typeOf(tools, 'v1', 'Pod'), namespace, pod);
}

function writeDaemonSetStatus(tools: ControllerTools, set: KubeObject, hash: string): void {
  const live = controlledBy(tools, set, pods).filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const ready = live.filter(isPodReady).length;
  const updated = live.filter((pod) => pod.metadata.labels?.[revisionLabel] === hash).length;
  writeStatus(tools, set, {
    observedGeneration: set.metadata.generation,
    desiredNumberScheduled: 1,
    currentNumberScheduled: live.length,
    numberMisscheduled: 0,
    numberReady: ready,
    ...(updated > 0 && { updatedNumberScheduled: updated }),
    ...(ready > 0 ? { numberAvailable: ready } : { numberUnavailable: 1 }),
  });
}
