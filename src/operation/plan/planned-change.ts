import { createHash } from 'node:crypto';
import type { ChartSignature } from '../../chart/load/chart-content.ts';
import type { NeededRights } from '../../objects/access.ts';
import { jsonText } from '../../objects/json-text.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { Release } from '../../release/release.ts';
import type { ReleaseStatus } from '../../release/status.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import type { CrdManifest } from '../../render/release-renderer.ts';
import type { ObjectDifference } from '../diff/object-changes.ts';
import type { ObjectPreview } from '../diff/preview.ts';
import type { UsedRevision } from './revision-digest.ts';

/** The content and the effects of an operation, as a plan records them. Plain JSON data. */
export interface PlannedChange {
  /** The newest revision when the plan was made. Undefined if there was none. */
  base?: BaseRevision | undefined;
  /** The content of the stored revisions that the operation uses. Default: it was not recorded. */
  used?: readonly UsedRevision[];
  /** The signature of its chart. Default: none was verified. */
  chartSignature?: ChartSignature | undefined;
  /** Size of the files of its chart. Default: it has none. */
  chartBytes?: number | undefined;
  /** The content of the revision to deploy. */
  release?: Release | undefined;
  /** The CRDs of the chart, which are applied first. */
  crds: readonly CrdManifest[];
  /** Number of the revision to deploy or uninstall. */
  revision?: number | undefined;
  /** Whether the operation would do nothing, because the release is already as requested. */
  unchanged?: boolean | undefined;
  /** The hooks that would run. */
  hooks: readonly PlannedHook[];
  /** The objects of the revision, and those to delete. */
  objects: readonly PlannedObject[];
  /** The objects that would change. Values of Secrets are masked. */
  differences: readonly ObjectDifference[];
  /** How the hooks differ from those of the newest revision, masked likewise. Default: none do. */
  hookDifferences?: readonly ObjectDifference[];
  /** How the CRDs differ from those of the cluster. Default: none do. */
  crdDifferences?: readonly ObjectDifference[];
  /** The rights that the operation needs in the cluster. Default: they were not recorded. */
  rights?: readonly NeededRights[];
}

export interface PlannedHook {
  event: string;
  weight: number;
  kind: string;
  name: string;
  path: string;
  deletePolicies: readonly string[];
}

/** A plan that an operation performs. */
export interface PlanToPerform extends PlannedChange {
  id: string;
  salt: string;
}

/** Tells a revision from all others, and from itself after a change of its status. */
export interface BaseRevision {
  version: number;
  status: ReleaseStatus;
  deployedAt?: string | undefined;
}

/** An object as it was when the plan was made. */
export interface PlannedObject {
  ref: ObjectRef;
  /** Undefined if the object stays as it is. */
  change?: string | undefined;
  /** Undefined if the object did not exist. */
  uid?: string | undefined;
  /** Digest of the object to apply, of the fields that change, and of their values before. */
  before: string;
}

export function baseRevision({ release: { version, info } }: StoredRevision): BaseRevision {
  return { version, status: info.status, deployedAt: info.last_deployed };
}

/**
 * Returns an object as plans record it, with its new values. Those that the API server would set
 * are not part of it, because it chooses some of them again for each request, such as ports and
 * addresses.
 */
export function plannedObject({ ref, seen, wanted, difference }: ObjectPreview, salt: string): PlannedObject {
  const fields = difference?.change === 'added' ? [] : (difference?.fields ?? []);
  const before = createHash('sha256')
    .update(jsonText([salt, wanted, fields.map(({ path, before: value }) => [path, value])]))
    .digest('hex');
  return { ref, change: difference?.change, uid: seen?.uid, before };
}
