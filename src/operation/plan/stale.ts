import { identityOf } from '../../objects/group-kind.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import type { ObjectPreview } from '../diff/preview.ts';
import { OperationError } from '../error.ts';
import {
  type BaseRevision,
  baseRevision,
  type PlannedObject,
  plannedObject,
  type PlanToPerform,
} from './planned-change.ts';
import { type UsedRevision, usedRevision } from './revision-digest.ts';

/** Number of changes that the message of an error has. */
const maxReasons = 10;

/**
 * Throws `plan_stale` if the newest revision is not the one that the plan was made for, or if the
 * content of a revision that the plan uses has changed. `revisions` are sorted, the oldest first.
 */
export function requireBase({ id, base, used = [] }: PlanToPerform, revisions: readonly StoredRevision[]): void {
  const newest = revisions.at(-1);
  const found = newest && baseRevision(newest);
  const isSame =
    found?.version === base?.version && found?.status === base?.status && found?.deployedAt === base?.deployedAt;
  if (!isSame) throw stale(id, [`the newest revision was ${revisionText(base)}, and is ${revisionText(found)}`]);
  requireContent(id, used, revisions);
}

function requireContent(id: string, used: readonly UsedRevision[], revisions: readonly StoredRevision[]): void {
  const changed = used.filter(({ version, digest }) => {
    const stored = revisions.find(({ release }) => release.version === version);
    return stored === undefined || usedRevision(stored).digest !== digest;
  });
  if (changed.length === 0) return;
  throw stale(
    id,
    changed.map(({ version }) => `the stored revision ${version} was changed or deleted`),
  );
}

function revisionText(revision: BaseRevision | undefined): string {
  return revision === undefined ? 'none' : `${revision.version} (${revision.status})`;
}

/** Throws `plan_stale` if the plan would do something else to the objects now. */
export function requireSameObjects({ id, salt, objects }: PlanToPerform, previews: readonly ObjectPreview[]): void {
  const now = new Map(previews.map((preview) => [identityOf(preview.ref), plannedObject(preview, salt)]));
  const known = new Set(objects.map(({ ref }) => identityOf(ref)));
  const reasons = objects.flatMap((object) => {
    const reason = staleReason(object, now.get(identityOf(object.ref)));
    return reason === undefined ? [] : [`${nameOf(object.ref)} ${reason}`];
  });
  const others = previews.filter(({ ref }) => !known.has(identityOf(ref)));
  const all = [...reasons, ...others.map(({ ref }) => `${nameOf(ref)} was created`)];
  if (all.length > 0) throw stale(id, all);
}

function staleReason(planned: PlannedObject, now: PlannedObject | undefined): string | undefined {
  // an object to delete that is gone, or that now has another owner
  if (now === undefined || (now.uid === undefined && planned.uid !== undefined)) return 'was deleted or released';
  if (now.uid !== undefined && planned.uid === undefined) return 'was created';
  if (now.uid !== planned.uid) return 'was replaced by another object';
  return now.change === planned.change && now.before === planned.before ? undefined : 'was changed';
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function stale(id: string, reasons: readonly string[]): OperationError {
  const rest = reasons.length > maxReasons ? `; and ${reasons.length - maxReasons} more` : '';
  const text = `${reasons.slice(0, maxReasons).join('; ')}${rest}`;
  return new OperationError('plan_stale', `plan ${id} is out of date: ${text}; make a new plan`);
}
