import { isJsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Release } from '../../release/release.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import { type ApplySettings, applySettings } from '../apply/apply-settings.ts';
import { type Owner, withOwners } from '../apply/ownership.ts';
import { type ReleaseObject, resolveReleaseObjects } from '../apply/release-object.ts';
import type { OperationContext } from '../context.ts';
import { isSecret } from '../diff/object-changes.ts';
import { OperationError } from '../error.ts';
import { checkNamespace, checkReleaseName } from '../steps/names.ts';

/** The objects of a release as its newest revision has them. */
export interface Baseline {
  owner: Owner;
  version: number;
  /** How the revision was applied. Server-side, fields are taken over from other managers. */
  settings: ApplySettings;
  /** The objects of the manifest that have a name, with Helm's label and annotations. */
  objects: readonly ReleaseObject[];
  /** The parts of the stored revision that are needed later. */
  revision: { release: Pick<Release, 'name' | 'namespace' | 'version' | 'manifest'>; isOwn: boolean };
}

/**
 * Reads the newest revision of a release. Throws `release_not_found`, `pending_operation` while
 * another operation works on the release, and `no_deployed_release` if the newest revision is not
 * deployed.
 */
export async function readBaseline(
  context: OperationContext,
  { namespace, releaseName: name }: { namespace: string; releaseName: string },
  signal: AbortSignal,
): Promise<Baseline> {
  checkReleaseName(name, () => `release name is invalid: ${name}`);
  checkNamespace(namespace);
  const newest = await newestRevision(context, { namespace, name }, signal);
  if (newest === undefined) throw new OperationError('release_not_found', 'release: not found');
  requireDeployed(newest.release);
  const { release } = newest;
  const owner = { name, namespace };
  const found = await resolveReleaseObjects(context, release.manifest, namespace, {
    prefix: 'unable to build kubernetes objects from current release manifest',
    signal,
    versions: 'any served',
  });
  const named = found
    .filter(({ ref }) => ref.name !== '')
    .map((item) => ({ ...item, object: storedForm(item.object) }));
  const settings = applySettings({}, release.apply_method);
  const { version, manifest } = release;
  return {
    owner,
    version,
    settings: { ...settings, ...(settings.method === 'ssa' && { forceConflicts: true }) },
    objects: withOwners(named, owner),
    revision: { release: { name, namespace, version, manifest }, isOwn: newest.isOwn === true },
  };
}

async function newestRevision(
  { storage }: Pick<OperationContext, 'storage'>,
  owner: Owner,
  signal: AbortSignal,
): Promise<StoredRevision | undefined> {
  const [newest] = await storage.query({ ...owner, latestOnly: true }, signal);
  return newest;
}

function requireDeployed({ name, version, info: { status } }: Release): void {
  if (status === 'deployed') return;
  if (status.startsWith('pending-') || status === 'uninstalling') {
    const message = `revision ${version} of release ${name} is ${status}: another operation works on it; try again when that has ended`;
    throw new OperationError('pending_operation', message);
  }
  const message = `revision ${version} of release ${name} is ${status}, so its objects may be those of several revisions; upgrade the release, or roll it back`;
  throw new OperationError('no_deployed_release', message);
}

/** Whether a baseline is still what the release is to be like. */
export async function isCurrent(
  context: Pick<OperationContext, 'storage'>,
  { owner, version }: Baseline,
  signal: AbortSignal,
): Promise<boolean> {
  const newest = await newestRevision(context, owner, signal);
  return newest?.release.version === version && newest.release.info.status === 'deployed';
}

/** Returns a Secret with `stringData` as `data`, as the API server stores it. */
function storedForm(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (!isSecret(object) || !isJsonObject(stringData)) return object;
  const texts = Object.entries(stringData).map(([name, value]) => [
    name,
    Buffer.from(typeof value === 'string' ? value : '').toString('base64'),
  ]);
  const data = isJsonObject(rest['data']) ? rest['data'] : {};
  return { ...object, ...rest, data: { ...data, ...Object.fromEntries(texts) }, stringData: undefined };
}
