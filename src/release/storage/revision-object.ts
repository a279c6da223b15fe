import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { ReleaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { storageLabels, type RevisionKey, type StoredRevision } from './storage.ts';

/** The kind of object that holds a revision, and how it does. */
export interface ObjectFormat {
  kind: 'Secret' | 'ConfigMap';
  /** `type` of the object. Default: none. */
  type?: string;
  /** Returns `data.release` for an encoded release. */
  toData: (encoded: string) => string;
  /** Returns the encoded release in `data.release`. */
  fromData: (data: string) => string;
}

/** Maximum size of the data in a Secret or a ConfigMap. */
const maxDataBytes = 1024 * 1024;

/**
 * Returns the object that stores a revision, with Helm's labels. Throws `release_too_large` if the
 * encoded release does not fit.
 */
export async function encodeRevision(
  { kind, type, toData }: ObjectFormat,
  codec: ReleaseCodec,
  release: Release,
  labels: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  const { apiVersion, namespace = '', name } = refOf(kind, release);
  const encoded = await codec.encode(release, signal);
  if (encoded.length > maxDataBytes) throw tooLarge(kind, release.name, encoded.length);
  return {
    apiVersion,
    kind,
    metadata: { namespace, name, labels: storageLabels(release, labels) },
    ...(type !== undefined && { type }),
    data: { release: toData(encoded) },
  };
}

/**
 * Returns the revision in an object. Throws `release_corrupt` and the like if it is not readable.
 */
export async function decodeRevision(
  { kind, fromData }: ObjectFormat,
  codec: ReleaseCodec,
  object: KubeObject,
  signal: AbortSignal | undefined,
): Promise<StoredRevision> {
  const { namespace = '', name } = object.metadata;
  const data = stringAt(object, 'data', 'release');
  if (data === undefined) throw new ReleaseError('release_corrupt', `${kind} ${namespace}/${name} has no release`);
  try {
    return storedRevision(await codec.decode(fromData(data), signal), object);
  } catch (cause) {
    if (!(cause instanceof ReleaseError)) throw cause;
    throw new ReleaseError(cause.code, `${kind} ${namespace}/${name}: ${cause.message}`, { cause });
  }
}

/** Returns a release together with the labels and the version of the object that stores it. */
export function storedRevision(release: Release, { metadata }: KubeObject): StoredRevision {
  return { release, labels: metadata.labels ?? {}, resourceVersion: metadata.resourceVersion ?? '' };
}

/** Returns the reference to the object that holds a revision. */
export function refOf(kind: ObjectFormat['kind'], { namespace, name, version }: RevisionKey): ObjectRef {
  return { apiVersion: 'v1', kind, namespace, name: `sh.helm.release.v1.${name}.v${version}` };
}

function tooLarge(kind: ObjectFormat['kind'], name: string, bytes: number): ReleaseError {
  const size = (bytes / maxDataBytes).toFixed(1);
  const message = `release ${name} is too large: ${size} MiB compressed, but a ${kind} holds at most 1 MiB; make the chart smaller`;
  return new ReleaseError('release_too_large', message);
}
