import { isJsonObject, objectAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';

const mask = '***';

/** Annotations of Secrets that have no part of their data. Others may be copies of the object. */
const shownAnnotations: ReadonlySet<string> = new Set([
  ...(['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace', 'helm.sh/resource-policy'] as const),
  ...(['kubernetes.io/service-account.name', 'kubernetes.io/service-account.uid'] as const),
]);

/**
 * Returns an object as commands show it: without `managedFields`, and with all values of a Secret
 * masked, also in its annotations. So is what a ConfigMap has of a stored release, in which the
 * Secrets of the release are.
 */
export function shownObject(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata };
  Reflect.deleteProperty(metadata, 'managedFields');
  if (isSecret(object)) return maskedSecret({ ...object, metadata });
  if (isStoredRelease(object)) return { ...object, metadata, ...maskedFields(object, ['data', 'binaryData']) };
  return { ...object, metadata };
}

/** Whether an object is a Secret, whichever group serves it. */
function isSecret({ kind }: KubeObject): boolean {
  return kind.toLowerCase() === 'secret';
}

/** As Helm and Tiller label their records. */
function isStoredRelease({ kind, metadata: { labels = {} } }: KubeObject): boolean {
  return kind === 'ConfigMap' && (labels['owner'] === 'helm' || labels['OWNER'] === 'TILLER');
}

function maskedSecret(secret: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = secret;
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).map(([name, value]) => [
      name,
      shownAnnotations.has(name) ? value : mask,
    ]),
  );
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, ...(metadata.annotations && { annotations }) },
    ...(typeof secret['type'] === 'string' && { type: secret['type'] }),
    ...(typeof secret['immutable'] === 'boolean' && { immutable: secret['immutable'] }),
    ...maskedFields(secret, ['data', 'stringData']),
  };
}

function maskedFields(object: KubeObject, names: readonly string[]): Record<string, unknown> {
  const present = names.filter((name) => isJsonObject(object[name]));
  return Object.fromEntries(
    present.map((name) => [name, Object.fromEntries(Object.keys(objectAt(object, name)).map((key) => [key, mask]))]),
  );
}
