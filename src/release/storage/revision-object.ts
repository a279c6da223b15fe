import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { ReleaseCodec } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { isUnfinished } from '../status.ts';
import { type RevisionKey, storageLabels, type StoredRevision } from './storage.ts';

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
  /** The key to sign it with. Undefined for the content of another client. */
  signingKey: Uint8Array | undefined;
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
  { labels, holder, signingKey }: RevisionMetadata,
): KubeObject {
  const { apiVersion, namespace = '', name } = refOf(kind, release);
  const annotations = {
    ...(holder && isUnfinished(release.info.status) && holderAnnotations(holder)),
    ...(signingKey && signatureAnnotations(signingKey, release, encoded)),
  };
  return {
    apiVersion,
    kind,
    metadata: {
      namespace,
      name,
      labels: storageLabels(release, labels),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    ...(type !== undefined && { type }),
    data: { release: toData(encoded) },
  };
}

/**
 * Returns the revision in an object. Throws `release_corrupt` and the like if it is not readable,
 * or is the content of another revision: who may write one object must not speak for others.
 */
export async function decodeRevision(
  { kind, fromData }: ObjectFormat,
  codec: ReleaseCodec,
  object: KubeObject,
  signingKey: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<StoredRevision> {
  const { namespace = '', name } = object.metadata;
  const data = stringAt(object, 'data', 'release');
  if (data === undefined) throw new ReleaseError('release_corrupt', `${kind} ${namespace}/${name} has no release`);
  try {
    const encoded = fromData(data);
    const release = ownContent(await codec.decode(encoded, signal), object);
    return storedRevision(release, object, signingKey !== undefined && isSigned(object, signingKey, release, encoded));
  } catch (cause) {
    if (!(cause instanceof ReleaseError)) throw cause;
    throw new ReleaseError(cause.code, `${kind} ${namespace}/${name}: ${cause.message}`, { cause });
  }
}

/** Returns the release that an object has. Throws `release_corrupt` if it is another one's. */
function ownContent(release: Release, { kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): Release {
  const { name, namespace = '', labels = {} } = metadata;
  const own = inNamespace(release, namespace);
  const mismatch =
    (own === undefined && 'the namespace in its content') ||
    (refOf('Secret', release).name !== name && 'the name or the revision in its content') ||
    (labels['name'] !== release.name && 'the label name') ||
    (labels['version'] !== String(release.version) && 'the label version');
  if (own !== undefined && mismatch === false) return own;
  throw new ReleaseError('release_corrupt', `${String(mismatch)} is not that of the ${kind}`);
}

/**
 * Returns a release as one of a namespace: old ones do not name any. Undefined if it is one of
 * another namespace.
 */
export function inNamespace(release: Release, namespace: string): Release | undefined {
  if (release.namespace === namespace) return release;
  return release.namespace === '' ? { ...release, namespace } : undefined;
}

/** Returns a release together with the labels and the version of the object that stores it. */
export function storedRevision(release: Release, { metadata }: KubeObject, isOwn: boolean): StoredRevision {
  const { labels = {}, uid, resourceVersion = '' } = metadata;
  return { release, labels, ...(uid !== undefined && { uid }), resourceVersion, isOwn };
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

/** An agent and its process. */
export interface Holder {
  agentId: string;
  instanceId: string;
}

const agentAnnotation = 'helm-agent/agent';
const instanceAnnotation = 'helm-agent/instance';

/**
 * Returns the annotations of a revision that an agent works on. Helm ignores them. A label would
 * become one of the release.
 */
function holderAnnotations({ agentId, instanceId }: Holder): Record<string, string> {
  return { [agentAnnotation]: agentId, [instanceAnnotation]: instanceId };
}

/** Returns the id of the agent that works on a stored revision, if it says so. */
export function holdingAgent({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[agentAnnotation];
}

/** Annotation with the signature of a record that an agent wrote. Helm drops it with each write. */
const signatureAnnotation = 'helm-agent/signature';

/** Returns the annotations by which a record is recognized. */
function signatureAnnotations(signingKey: Uint8Array, revision: RevisionKey, encoded: string): Record<string, string> {
  return { [signatureAnnotation]: signatureOf(signingKey, revision, encoded) };
}

/**
 * Whether an object has the signature of this revision with this content. False for a record that
 * another client wrote, changed, or copied to another name, namespace or revision.
 */
function isSigned({ metadata }: KubeObject, signingKey: Uint8Array, revision: RevisionKey, encoded: string): boolean {
  const found = metadata.annotations?.[signatureAnnotation] ?? '';
  const expected = Buffer.from(signatureOf(signingKey, revision, encoded));
  // compares the lengths first, because the annotation may be long
  return found.length === expected.length && timingSafeEqual(Buffer.from(found, 'latin1'), expected);
}

/**
 * HMAC over what identifies a revision and its encoded content. Labels are not part of it, because
 * people change the status there to repair a release.
 */
function signatureOf(signingKey: Uint8Array, { namespace, name, version }: RevisionKey, encoded: string): string {
  const digest = createHash('sha256').update(encoded).digest('hex');
  const text = JSON.stringify(['helm-agent/record.v1', namespace, name, version, digest]);
  return `v1:${createHmac('sha256', signingKey).update(text).digest('hex')}`;
}
