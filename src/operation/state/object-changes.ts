import { identityOf } from '../../objects/group-kind.ts';
import type { ChangeLog, SeenObject } from '../apply/seen-object.ts';

/** Objects of a release that an operation has created, changed or deleted. */
export interface ObjectChanges {
  /** Objects that did not exist before. One without a uid may not have been created. */
  created: readonly SeenObject[];
  /** Objects that may have existed before. */
  changed: readonly SeenObject[];
  deleted: readonly SeenObject[];
}

export const noChanges: ObjectChanges = { created: [], changed: [], deleted: [] };

/** A log that continues from earlier changes. */
export interface ChangeRecord extends ChangeLog {
  changes(): ObjectChanges;
}

/** Returns a log of changes. `beforeCreation` is awaited before an object is created. */
export function recordChanges(
  earlier: ObjectChanges,
  beforeCreation: (changes: ObjectChanges) => Promise<void> = () => Promise.resolve(),
): ChangeRecord {
  const created = byIdentity(earlier.created);
  const changed = byIdentity(earlier.changed);
  const deleted = byIdentity(earlier.deleted);
  const changes = (): ObjectChanges => ({
    created: [...created.values()],
    changed: [...changed.values()],
    deleted: [...deleted.values()],
  });
  return {
    changes,
    async creating(ref) {
      const key = identityOf(ref);
      if (created.has(key)) return; // noted before an interruption
      created.set(key, { ref });
      await beforeCreation(changes());
    },
    applied(object) {
      const key = identityOf(object.ref);
      (created.has(key) ? created : changed).set(key, object);
    },
    deleted(object) {
      deleted.set(identityOf(object.ref), object);
    },
  };
}

function byIdentity(objects: readonly SeenObject[]): Map<string, SeenObject> {
  return new Map(objects.map((object) => [identityOf(object.ref), object]));
}
