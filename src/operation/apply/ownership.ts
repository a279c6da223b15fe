import type { KubeObject } from '../../objects/object.ts';

// pkg/action/validate.go
export const managedByLabel = 'app.kubernetes.io/managed-by';
const nameAnnotation = 'meta.helm.sh/release-name';
const namespaceAnnotation = 'meta.helm.sh/release-namespace';

/** The release that owns an object. */
export interface Owner {
  name: string;
  namespace: string;
}

/** Returns the release that an object names. */
export function ownerOf({ metadata: { annotations = {} } }: KubeObject): Owner | undefined {
  const { [nameAnnotation]: name, [namespaceAnnotation]: namespace } = annotations;
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** Whether an object lacks Helm's label, as Helm 3.1 and older versions have left it. */
export function isUnlabelled({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[managedByLabel] !== 'Helm';
}

/** Returns the object with Helm's label and annotations for its release. */
function withOwner(object: KubeObject, owner: Owner): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [managedByLabel]: 'Helm' },
      annotations: {
        ...metadata.annotations,
        [nameAnnotation]: owner.name,
        [namespaceAnnotation]: owner.namespace,
      },
    },
  };
}

/** Returns the items with objects that belong to a release, as {@link withOwner} does. */
export function withOwners<Item extends { object: KubeObject }>(items: readonly Item[], owner: Owner): Item[] {
  return items.map((item) => ({ ...item, object: withOwner(item.object, owner) }));
}

/**
 * Returns the other release that an object belongs to by Helm's label and annotations. Undefined if
 * it belongs to this one, or to none.
 */
export function otherOwner(object: KubeObject, owner: Owner): Owner | undefined {
  const { annotations = {} } = object.metadata;
  const { [nameAnnotation]: name, [namespaceAnnotation]: namespace } = annotations;
  if (isUnlabelled(object) || name === undefined || namespace === undefined) return undefined;
  return name === owner.name && namespace === owner.namespace ? undefined : { name, namespace };
}

/** Returns what an object lacks to belong to a release. */
export function ownershipProblems({ metadata: { labels = {}, annotations = {} } }: KubeObject, owner: Owner): string[] {
  return [
    ...valueProblem('label', labels, managedByLabel, 'Helm'),
    ...valueProblem('annotation', annotations, nameAnnotation, owner.name),
    ...valueProblem('annotation', annotations, namespaceAnnotation, owner.namespace),
  ];
}

function valueProblem(what: string, found: Record<string, string>, key: string, wanted: string): string[] {
  const actual = found[key];
  if (actual === wanted) return [];
  const problem =
    actual === undefined
      ? `missing key ${JSON.stringify(key)}: must be set to ${JSON.stringify(wanted)}`
      : `key ${JSON.stringify(key)} must equal ${JSON.stringify(wanted)}: current value is ${JSON.stringify(actual)}`;
  return [`${what} validation error: ${problem}`];
}
