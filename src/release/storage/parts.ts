import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { inNamespace, maxParts, type ObjectFormat, partRefOf } from './revision-object.ts';
import type { PartsReference, RevisionKey } from './storage.ts';

/** Size of the data of a part. With its metadata, the object stays below the limit of etcd. */
const partBytes = 1024 * 1024;

/** The manifest of a head, as JSON. Helm shows it in its errors. */
const marker = z.object({
  'helm-agent/parts': z.int().min(1).max(maxParts),
  revision: z.int().min(1),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

const explanation =
  'this revision is larger than 1 MiB and stored in several objects, which helm cannot read; use helm-agent for this release';

type PartCluster = Pick<Cluster, 'get' | 'create' | 'replace'>;

/** Returns the reference to the parts of an encoded release. */
export function partsOf({ version }: Pick<RevisionKey, 'version'>, encoded: string): PartsReference {
  const digest = createHash('sha256').update(encoded).digest('hex');
  return { version, count: Math.ceil(encoded.length / partBytes), digest };
}

/**
 * Returns the part of a revision that changes with its status, and that fits in one object. Its
 * manifest says where the rest is; Helm keeps it when it writes the revision.
 */
export function headOf(release: Release, { version: revision, count, digest }: PartsReference): Release {
  const { name, namespace, version, info, chart, hooks, apply_method } = release;
  const shortInfo = { ...info };
  delete shortInfo.notes;
  const nothing = { lock: null, templates: null, values: null, schema: null, files: null };
  return {
    name,
    namespace,
    version,
    info: shortInfo,
    chart: { ...nothing, metadata: chart.metadata },
    manifest: `${JSON.stringify({ message: explanation, 'helm-agent/parts': count, revision, digest })}\n`,
    // without events, so that Helm runs none of them
    ...(hooks && { hooks: hooks.map((hook) => ({ ...hook, manifest: '', events: [] })) }),
    ...(apply_method !== undefined && { apply_method }),
  };
}

/** Returns where the parts of a revision are, if this is a head. */
export function partsReference({ manifest }: Release): PartsReference | undefined {
  if (!manifest.startsWith('{') || manifest.length > 1000) return undefined;
  try {
    const { 'helm-agent/parts': count, revision: version, digest } = marker.parse(JSON.parse(manifest));
    return { version, count, digest };
  } catch {
    return undefined;
  }
}

/**
 * Returns a whole revision with what its head has: status, times, and runs of hooks. Throws
 * `release_corrupt` if its parts are those of another release.
 */
export function withHead(whole: Release, { name, namespace, version, info, hooks = [] }: Release): Release {
  const own = whole.name === name ? inNamespace(whole, namespace) : undefined;
  if (own === undefined) throw new ReleaseError('release_corrupt', 'the parts are those of another release');
  const { notes } = own.info;
  return {
    ...own,
    version,
    info: { ...info, ...(notes !== undefined && { notes }) },
    ...(own.hooks && {
      hooks: own.hooks.map((hook, index) => {
        const { last_run = hook.last_run, delete_policies = hook.delete_policies } = hooks[index] ?? {};
        return { ...hook, last_run, ...(delete_policies && { delete_policies }) };
      }),
    }),
  };
}

/** The objects with the parts of an encoded release. */
export interface StoredParts {
  all: KubeObject[];
  /** Those that did not exist before. */
  created: KubeObject[];
}

/**
 * Creates the objects with the parts of an encoded release. Those that exist, as after an attempt
 * whose answer was lost, are used again: their names have the digest of their content. Throws
 * `release_conflict` if one of them has another content.
 */
export async function createParts(
  cluster: PartCluster,
  { kind, toData }: ObjectFormat,
  key: RevisionKey,
  encoded: string,
  options: { fieldManager: string; signal?: AbortSignal },
): Promise<StoredParts> {
  const { count, digest } = partsOf(key, encoded);
  const parts: StoredParts = { all: [], created: [] };
  for (let index = 0; index < count; index += 1) {
    const { apiVersion, namespace = '', name } = partRefOf(kind, key, digest, index);
    const labels = { owner: 'helm-agent', name: key.name, version: String(key.version) };
    const text = encoded.slice(index * partBytes, (index + 1) * partBytes);
    const object: KubeObject = {
      apiVersion,
      kind,
      metadata: { namespace, name, labels },
      ...(kind === 'Secret' && { type: 'helm-agent/release-part.v1' }),
      data: { part: toData(text) },
    };
    const { stored, isNew } = await createdOrExisting(cluster, object, options);
    parts.all.push(stored);
    if (isNew) parts.created.push(stored);
  }
  return parts;
}

async function createdOrExisting(
  cluster: PartCluster,
  object: KubeObject,
  options: { fieldManager: string; signal?: AbortSignal },
): Promise<{ stored: KubeObject; isNew: boolean }> {
  try {
    return { stored: await cluster.create(object, options), isNew: true };
  } catch (error) {
    if (!hasClusterErrorCode(error, 'already_exists')) throw error;
    const { apiVersion, kind, metadata } = object;
    const { name, namespace = '' } = metadata;
    const existing = await cluster.get({ apiVersion, kind, name, namespace }, options.signal);
    if (existing === undefined) throw error;
    if (stringAt(existing, 'data', 'part') === stringAt(object, 'data', 'part')) {
      return { stored: existing, isNew: false };
    }
    const problem = `the ${kind} ${namespace}/${name} exists with another content; delete it`;
    throw new ReleaseError('release_conflict', problem, { cause: error });
  }
}

/** Makes the head the owner of its parts, so that Kubernetes deletes them with it. */
export async function adoptParts(
  cluster: PartCluster,
  { apiVersion, kind, metadata: { name, uid } }: KubeObject,
  parts: readonly KubeObject[],
  options: { fieldManager: string; signal?: AbortSignal },
): Promise<void> {
  if (uid === undefined) return;
  const ownerReferences = [{ apiVersion, kind, name, uid }];
  for (const part of parts) {
    await cluster.replace({ ...part, metadata: { ...part.metadata, ownerReferences } }, options);
  }
}

/** Returns the encoded release that the parts have. Throws `release_corrupt`. */
export async function readParts(
  cluster: PartCluster,
  { kind, fromData }: ObjectFormat,
  { namespace, name }: RevisionKey,
  { version, count, digest }: PartsReference,
  signal: AbortSignal | undefined,
): Promise<string> {
  const key = { namespace, name, version };
  const refs: ObjectRef[] = Array.from({ length: count }, (_, index) => partRefOf(kind, key, digest, index));
  const objects = await Promise.all(refs.map((ref) => cluster.get(ref, signal)));
  const texts = objects.map((object, index) => {
    const data = object && stringAt(object, 'data', 'part');
    if (data !== undefined) return fromData(data);
    throw new ReleaseError('release_corrupt', `part ${index + 1} of ${count}, ${refs[index]?.name ?? ''}, is missing`);
  });
  const encoded = texts.join('');
  if (partsOf(key, encoded).digest === digest) return encoded;
  throw new ReleaseError('release_corrupt', 'the parts of the stored release do not fit together');
}
