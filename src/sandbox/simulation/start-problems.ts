import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { objectAt, objectsAt, stringAt, type JsonObject } from '../../objects/fields.ts';
import type { Behaviour } from './behaviour.ts';
import { imageFailure, pullFailure } from './image-pull.ts';

/**
 * Returns why a container cannot start: a problem with its image, or a missing ConfigMap or Secret.
 */
export function startProblemOf(
  state: ClusterState,
  pod: KubeObject,
  container: JsonObject,
  behaviour: Behaviour,
): { reason: string; message: string } | undefined {
  const image = stringAt(container, 'image') ?? '';
  const failure =
    behaviour.name === 'image-pull-error'
      ? pullFailure(image)
      : imageFailure(image, stringAt(container, 'imagePullPolicy'));
  return failure ?? missingReference(state, pod, container);
}

function missingReference(
  state: ClusterState,
  pod: KubeObject,
  container: JsonObject,
): { reason: string; message: string } | undefined {
  const references = [
    ...objectsAt(container, 'env').flatMap((variable) => [
      { kind: 'configmap', reference: objectAt(variable, 'valueFrom', 'configMapKeyRef') },
      { kind: 'secret', reference: objectAt(variable, 'valueFrom', 'secretKeyRef') },
    ]),
    ...objectsAt(container, 'envFrom').flatMap((source) => [
      { kind: 'configmap', reference: objectAt(source, 'configMapRef') },
      { kind: 'secret', reference: objectAt(source, 'secretRef') },
    ]),
  ];
  for (const { kind, reference } of references) {
    const name = stringAt(reference, 'name');
    if (name === undefined || reference['optional'] === true) continue;
    const found = state.store.get(`/${kind}s`, pod.metadata.namespace ?? '', name);
    const key = stringAt(reference, 'key');
    if (!found) return { reason: 'CreateContainerConfigError', message: `${kind} ${JSON.stringify(name)} not found` };
    if (key !== undefined && !Object.hasOwn(objectAt(found, 'data'), key)) {
      const where = `${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${pod.metadata.namespace ?? ''}/${name}`;
      return { reason: 'CreateContainerConfigError', message: `couldn't find key ${key} in ${where}` };
    }
  }
  return undefined;
}

/** Returns the kubelet's message if a volume of the pod cannot be mounted. */
export function mountProblemOf(state: ClusterState, pod: KubeObject): string | undefined {
  for (const volume of objectsAt(pod, 'spec', 'volumes')) {
    const sources = [
      {
        kind: 'configmap',
        name: stringAt(volume, 'configMap', 'name'),
        optional: objectAt(volume, 'configMap')['optional'],
      },
      {
        kind: 'secret',
        name: stringAt(volume, 'secret', 'secretName'),
        optional: objectAt(volume, 'secret')['optional'],
      },
    ];
    for (const { kind, name, optional } of sources) {
      if (name === undefined || optional === true || state.store.get(`/${kind}s`, pod.metadata.namespace ?? '', name))
        continue;
      return `MountVolume.SetUp failed for volume ${JSON.stringify(volume['name'])} : ${kind} ${JSON.stringify(name)} not found`;
    }
  }
  return undefined;
}
