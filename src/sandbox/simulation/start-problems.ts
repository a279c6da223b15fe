import { type JsonObject, objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { Behaviour } from './behaviour.ts';

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

/** Reason why a node cannot get an image. */
interface ImageFailure {
  reason: 'ErrImagePull' | 'ErrImageNeverPull' | 'InvalidImageName';
  message: string;
}

const reference =
  /^(?:[a-z0-9]+(?:[.-][a-z0-9]+)*(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i;

/**
 * Returns why a simulated node cannot pull an image, or undefined if it can. Images fail if their
 * tag is `missing` or `does-not-exist`, or if their registry is below the top-level domain
 * `invalid`, which never resolves: such a chart fails on a real cluster, too.
 */
function imageFailure(image: string, pullPolicy: string | undefined): ImageFailure | undefined {
  if (!reference.test(image)) {
    const message = `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ${JSON.stringify(image)}: invalid reference format`;
    return { reason: 'InvalidImageName', message };
  }
  const { registry, tag } = partsOf(image);
  if (registry.endsWith('.invalid'))
    return missingImage(image, pullPolicy, `dial tcp: lookup ${registry}: no such host`);
  return tag === 'missing' || tag === 'does-not-exist' ? missingImage(image, pullPolicy, 'not found') : undefined;
}

/** Returns the failure of a pull, with containerd's message. */
function pullFailure(image: string, reason = 'not found'): ImageFailure {
  const full = fullName(image);
  const message = `failed to pull and unpack image ${JSON.stringify(full)}: failed to resolve reference ${JSON.stringify(full)}: ${reason === 'not found' ? `${full}: not found` : reason}`;
  return {
    reason: 'ErrImagePull',
    message: reason === 'not found' ? `rpc error: code = NotFound desc = ${message}` : message,
  };
}

function missingImage(image: string, pullPolicy: string | undefined, reason: string): ImageFailure {
  if (pullPolicy !== 'Never') return pullFailure(image, reason);
  const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
  return { reason: 'ErrImageNeverPull', message };
}

function partsOf(image: string): { registry: string; tag: string } {
  const [first = '', ...rest] = image.split('/');
  const registry = rest.length > 0 && /[.:]|^localhost$/.test(first) ? first.replace(/:\d+$/, '') : 'docker.io';
  return { registry, tag: /:([^/:@]+)(?:@|$)/.exec(image)?.[1] ?? 'latest' };
}

/**
 * Returns the full name of an image. The default registry is Docker Hub, with the default folder
 * `library`.
 */
function fullName(image: string): string {
  const tagged = /:[^/]+$|@/.test(image) ? image : `${image}:latest`;
  const [first = '', ...rest] = tagged.split('/');
  if (rest.length === 0) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(first) ? tagged : `docker.io/${tagged}`;
}
