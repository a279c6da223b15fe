import type { Host } from '../../go/host.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { decodeRelease, encodeRelease } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import { storageLabels } from './labels.ts';
import { latestOf } from '../history.ts';
import type { Release } from '../release.ts';
import type { ReleaseStorage, RevisionKey, RevisionQuery, StoredRevision } from './storage.ts';
import { unixSeconds } from '../time.ts';

/** What this driver needs of a cluster. Errors carry a `code`: `already_exists`, `conflict`, `not_found` are told apart. */
export interface SecretClient {
  get(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(
    query: { apiVersion: string; kind: string; namespace?: string; labelSelector?: string },
    signal?: AbortSignal,
  ): Promise<KubeObject[]>;
  create(object: KubeObject, options?: { fieldManager?: string; signal?: AbortSignal }): Promise<KubeObject>;
  replace(object: KubeObject, options?: { fieldManager?: string; signal?: AbortSignal }): Promise<KubeObject>;
  delete(ref: ObjectRef, options?: { signal?: AbortSignal }): Promise<boolean>;
}

export interface SecretStorageOptions {
  secrets: SecretClient;
  host: Host;
  /** Told of a Secret among many that holds no readable release; as in Helm, the others are listed without it. */
  onUnreadable: (error: ReleaseError) => void;
}

/** What a Secret may hold. */
const maxSecretBytes = 1024 * 1024;

/** Releases as Helm keeps them: a Secret of type `helm.sh/release.v1` for each revision (pkg/storage/driver/secrets.go). */
export function secretStorage({ secrets, host, onUnreadable }: SecretStorageOptions): ReleaseStorage {
  return {
    async get(key, signal) {
      const secret = await secrets.get(secretRef(key), signal);
      return secret && (await readRevision(secret));
    },

    async query(query, signal) {
      const found = await secrets.list(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          labelSelector: labelSelector(query),
          ...(query.namespace !== undefined && { namespace: query.namespace }),
        },
        signal,
      );
      const wanted = query.latestOnly === true ? latestSecrets(found, query) : found;
      const revisions = await Promise.all(wanted.map((secret) => readOrReport(secret, query)));
      return revisions.filter((revision) => revision !== undefined);
    },

    async create(release, labels, signal) {
      const secret = await secretOf(release, storageLabels(release, { ...labels, createdAt: unixSeconds(host.now()) }));
      try {
        return stored(release, await secrets.create(secret, writeOptions(signal)));
      } catch (cause) {
        if (!hasCode(cause, 'already_exists')) throw cause;
        throw new ReleaseError('release_exists', 'release: already exists', { cause });
      }
    },

    async update({ release, labels, resourceVersion }, signal) {
      const secret = await secretOf(
        release,
        storageLabels(release, { ...labels, modifiedAt: unixSeconds(host.now()) }),
      );
      secret.metadata.resourceVersion = resourceVersion;
      try {
        return stored(release, await secrets.replace(secret, writeOptions(signal)));
      } catch (cause) {
        if (hasCode(cause, 'conflict')) throw conflict(release, cause);
        if (hasCode(cause, 'not_found')) throw new ReleaseError('release_not_found', 'release: not found', { cause });
        throw cause;
      }
    },

    delete(key, signal) {
      return secrets.delete(secretRef(key), signal && { signal });
    },
  };

  /** One release that cannot be read must not hide all others; asked for by name, it is an error. */
  async function readOrReport(secret: KubeObject, query: RevisionQuery): Promise<StoredRevision | undefined> {
    try {
      return await readRevision(secret);
    } catch (error) {
      if (!(error instanceof ReleaseError) || query.name !== undefined) throw error;
      onUnreadable(error);
      return undefined;
    }
  }
}

function labelSelector({ name, status, latestOnly }: RevisionQuery): string {
  const selector = ['owner=helm'];
  if (name !== undefined) selector.push(`name=${name}`);
  if (status !== undefined && latestOnly !== true) selector.push(`status=${status}`);
  return selector.join(',');
}

/** Chosen by their labels, so that only these need to be unpacked. */
function latestSecrets(secrets: KubeObject[], { status }: RevisionQuery): KubeObject[] {
  const latest = latestOf(secrets, ({ metadata: { namespace, labels } }) => ({
    namespace: namespace ?? '',
    name: labels?.['name'] ?? '',
    version: Number(labels?.['version']),
  }));
  return status === undefined ? latest : latest.filter(({ metadata }) => metadata.labels?.['status'] === status);
}

function secretRef({ namespace, name, version }: RevisionKey): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name: `sh.helm.release.v1.${name}.v${version}` };
}

async function secretOf(release: Release, labels: Record<string, string>): Promise<KubeObject> {
  const { apiVersion, kind, ...ref } = secretRef(release);
  const text = await encodeRelease(release);
  if (text.length > maxSecretBytes) {
    const size = (text.length / maxSecretBytes).toFixed(1);
    const message = `release ${release.name} takes ${size} MiB packed, and a Secret holds 1 MiB: make the chart smaller`;
    throw new ReleaseError('release_too_large', message);
  }
  return {
    apiVersion,
    kind,
    metadata: { ...ref, labels },
    type: 'helm.sh/release.v1',
    data: { release: Buffer.from(text).toString('base64') },
  };
}

async function readRevision(secret: KubeObject): Promise<StoredRevision> {
  const data = secret['data'];
  const payload: unknown = typeof data === 'object' && data !== null && 'release' in data ? data.release : undefined;
  const { namespace = '', name } = secret.metadata;
  if (typeof payload !== 'string') {
    throw new ReleaseError('release_corrupt', `Secret ${namespace}/${name} holds no release`);
  }
  try {
    return stored(await decodeRelease(Buffer.from(payload, 'base64').toString('latin1')), secret);
  } catch (cause) {
    if (!(cause instanceof ReleaseError)) throw cause;
    throw new ReleaseError(cause.code, `Secret ${namespace}/${name}: ${cause.message}`, { cause });
  }
}

function stored(release: Release, { metadata }: KubeObject): StoredRevision {
  return { release, labels: metadata.labels ?? {}, resourceVersion: metadata.resourceVersion ?? '' };
}

function writeOptions(signal: AbortSignal | undefined): { fieldManager: string; signal?: AbortSignal } {
  return { fieldManager: 'helm', ...(signal && { signal }) };
}

function conflict({ name, version }: Release, cause: unknown): ReleaseError {
  const message = `revision ${version} of release ${name} was changed by somebody else in the meantime`;
  return new ReleaseError('release_conflict', message, { cause });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
