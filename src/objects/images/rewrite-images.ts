import { type ImagePrefix, type ImageReference, isBelowPrefix, parseImageReference } from './image-reference.ts';

/** Rules of the owner of a cluster for the images of its pods. Plain data. */
export interface ImageRules {
  mirrors: readonly ImageMirror[];
  pullSecrets: readonly PullSecret[];
}

/** A registry, or a part of one, in place of another. */
export interface ImageMirror {
  from: ImagePrefix;
  /** Such as `registry.internal/ghcr`. */
  to: string;
}

/** A Secret with which pods pull the images of registries. */
interface PullSecret {
  registries: readonly ImagePrefix[];
  name: string;
}

/** Returns the image of a mirror, by the most specific rule. Undefined if no rule is for it. */
export function mirroredImage(image: string, mirrors: readonly ImageMirror[]): string | undefined {
  const reference = parseImageReference(image);
  if (reference === undefined) return undefined;
  const [mirror] = mirrors
    .filter(({ from }) => isBelowPrefix(reference, from))
    .sort((a, b) => (b.from.repository ?? '').length - (a.from.repository ?? '').length);
  if (mirror === undefined) return undefined;
  const rest = reference.repository.slice(mirror.from.repository?.length ?? 0).replace(/^\//, '');
  return `${mirror.to}${rest === '' ? '' : `/${rest}`}${reference.suffix}`;
}

type Mapping = Map<string, unknown>;

const containerFields = ['containers', 'initContainers', 'ephemeralContainers'];

/**
 * Changes the images and the pull secrets of an object, or of those in a list, by the rules. Images
 * are those of containers, wherever a pod is described, and of volumes of images; pull secrets are
 * added to the pods of Kubernetes' own kinds. Returns whether anything has changed.
 *
 * @param root mappings are Maps
 * @param namespace the one that has the pull secrets; objects that name another one get none
 */
export function rewriteImages(root: unknown, { mirrors, pullSecrets }: ImageRules, namespace: string): boolean {
  const changed = imagePlaces(root).filter(([owner, field]) => {
    const image = owner.get(field);
    const mirrored = typeof image === 'string' ? mirroredImage(image, mirrors) : undefined;
    if (mirrored !== undefined) owner.set(field, mirrored);
    return mirrored !== undefined;
  });
  const pods = pullSecrets.length === 0 ? [] : objectsIn(root).flatMap((object) => podsOf(object, namespace));
  const changedPods = pods.filter((pod) => addPullSecrets(pod, pullSecrets));
  return changed.length + changedPods.length > 0;
}

/** Returns the mappings with an image, and the field that has it. */
function imagePlaces(root: unknown): [owner: Mapping, field: string][] {
  const places: [Mapping, string][] = [];
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) rest.push(item);
    }
    // a definition describes objects, and has no images
    if (!isMapping(value) || value.get('kind') === 'CustomResourceDefinition') continue;
    for (const [name, content] of value) {
      rest.push(content);
      if (name === 'image' && isMapping(content)) places.push([content, 'reference']);
      if (!containerFields.includes(name) || !Array.isArray(content)) continue;
      for (const container of content as unknown[]) if (isMapping(container)) places.push([container, 'image']);
    }
  }
  return places;
}

/** Returns an object, or those of a list. */
function objectsIn(root: unknown): Mapping[] {
  if (!isMapping(root)) return [];
  const items = root.get('items');
  const kind = root.get('kind');
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [root];
  return (items as unknown[]).flatMap(objectsIn);
}

const template = ['spec', 'template', 'spec'];

/** Paths of the pod in Kubernetes' own kinds. */
const podPaths: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
  ['Pod', ['spec']],
  ['PodTemplate', ['template', 'spec']],
  ['Deployment', template],
  ['ReplicaSet', template],
  ['StatefulSet', template],
  ['DaemonSet', template],
  ['ReplicationController', template],
  ['Job', template],
  ['CronJob', ['spec', 'jobTemplate', ...template]],
]);

function podsOf(object: Mapping, namespace: string): Mapping[] {
  const apiVersion = object.get('apiVersion');
  const path = podPaths.get(object.get('kind'));
  const isOwn = typeof apiVersion === 'string' && /^(?:(?:apps|batch|extensions)\/)?v\d\w*$/.test(apiVersion);
  if (path === undefined || !isOwn) return [];
  const pod = at(object, path);
  return isMapping(pod) && (at(object, ['metadata', 'namespace']) ?? namespace) === namespace ? [pod] : [];
}

function addPullSecrets(pod: Mapping, secrets: readonly PullSecret[]): boolean {
  const images = imagePlaces(pod).flatMap(([owner, field]): ImageReference[] => {
    const image = owner.get(field);
    const reference = typeof image === 'string' ? parseImageReference(image) : undefined;
    return reference === undefined ? [] : [reference];
  });
  const given = pod.get('imagePullSecrets') ?? [];
  if (!Array.isArray(given)) return false; // the API server refuses it
  const present = new Set((given as unknown[]).map((one) => at(one, ['name'])));
  const needed = secrets.filter(({ registries }) =>
    images.some((image) => registries.some((one) => isBelowPrefix(image, one))),
  );
  const missing = new Set(needed.map(({ name }) => name).filter((name) => !present.has(name)));
  if (missing.size === 0) return false;
  pod.set('imagePullSecrets', [...(given as unknown[]), ...Array.from(missing, (name) => new Map([['name', name]]))]);
  return true;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isMapping(found) ? found.get(name) : undefined), value);
}

function isMapping(value: unknown): value is Mapping {
  return value instanceof Map;
}
