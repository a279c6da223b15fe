import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { ReleaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { isUnfinished } from '../status.ts';
import { holderAnnotations } from './holder.ts';
import type { Holder } from './kube-storage-options.ts';
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

/** Maximum number of parts of a revision. */
export const maxParts = 16;

/** Maximum size of the data in a Secret or a ConfigMap. */
const maxDataBytes = 1024 * 1024;

/** The metadata of the object of a revision, besides that of Helm. */
export interface RevisionMetadata {
  labels: Record<string, string>;
  /** Who writes it. */
  holder: Holder | undefined;
}

/**
 * Returns the object that stores a revision, with Helm's labels. Throws `release_too_large` if the
 * encoded release does not fit.
 */
export async function encodeRevision(
  format: ObjectFormat,
  codec: ReleaseCodec,
  release: Release,
  metadata: RevisionMetadata,
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  const encoded = await codec.encode(release, signal);
  if (!fitsObject(encoded)) throw tooLarge(format.kind, release.name, encoded.length);
  return revisionObject(format, release, encoded, metadata);
}

/**
 * Length of texts of which the encoded form fits in one object, even with six bytes for each
 * character and without compression.
 */
const shortLength = 100 * 1024;

/** Whether the texts of a release are so short that it fits in one object in any case. */
export function isShort({ chart, manifest, hooks = [], config = {}, info }: Release): boolean {
  const files = [...(chart.templates ?? []), ...(chart.files ?? [])];
  const fileLength = files.reduce((sum, { data, name }) => sum + name.length + (data?.length ?? 0), 0);
  const hookLength = hooks.reduce((sum, hook) => sum + hook.manifest.length, 0);
  const length = fileLength + hookLength + manifest.length + (chart.schema?.length ?? 0) + (info.notes?.length ?? 0);
  return length + JSON.stringify([config, chart.values]).length < shortLength;
}

/** Whether an encoded release fits in one object. */
export function fitsObject(encoded: string): boolean {
  return encoded.length <= maxDataBytes;
}

/** Returns the object that stores a revision, of which `encoded` is the encoded form. */
export function revisionObject(
  { kind, type, toData }: ObjectFormat,
  release: Release,
  encoded: string,
  { labels, holder }: RevisionMetadata,
): KubeObject {
  const { apiVersion, namespace = '', name } = refOf(kind, release);
  return {
    apiVersion,
    kind,
    metadata: {
      namespace,
      name,
      labels: storageLabels(release, labels),
      ...(holder && isUnfinished(release.info.status) && { annotations: holderAnnotations(holder) }),
    },
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

/** Returns the reference to a part of a large revision. */
export function partRefOf(kind: ObjectFormat['kind'], key: RevisionKey, digest: string, index: number): ObjectRef {
  const ref = refOf(kind, key);
  return { ...ref, name: `${ref.name}.${digest.slice(0, 12)}.${index + 1}` };
}

export function tooLarge(kind: ObjectFormat['kind'], name: string, bytes: number, chunked = false): ReleaseError {
  const size = (bytes / maxDataBytes).toFixed(1);
  const limit = chunked ? `, ${maxParts} of them are the limit` : ', or allow several with storage: "chunked"';
  const problem = `release ${name} is too large: ${size} MiB compressed, but a ${kind} holds at most 1 MiB`;
  return new ReleaseError('release_too_large', `${problem}; make the chart smaller${limit}`);
}
