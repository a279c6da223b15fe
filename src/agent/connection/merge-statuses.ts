import { fieldAt } from '../../objects/fields.ts';
import { maxDrifted } from '../../protocol/drift.ts';
import { maxResources, type Status } from '../../protocol/messages.ts';
import { maxChangedObjects, maxObjectsLength, type ObjectChange } from '../../protocol/object-change.ts';
import type { Reply } from '../router/reply.ts';

interface Named {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
}

/**
 * Returns one status in place of two of the same command. It is the newer one, with the resources,
 * objects and drift of the older one that it does not have itself.
 */
export function mergeStatuses(older: Reply, newer: Reply): Reply {
  const before = statusOf(older);
  const after = statusOf(newer);
  if (before.step !== after.step) return newer;
  const resources = mergedItems(before.resources, after.resources, { most: maxResources, identity: identityOf });
  const drift = mergedItems(before.drift, after.drift, { most: maxDrifted, identity: identityOf });
  const objects = mergedItems(before.objects, after.objects, { most: maxChangedObjects, identity: nameOfChanged });
  if (resources === undefined && drift === undefined && objects === undefined) return newer;
  const merged: Status = {
    ...after,
    ...(resources && { resources }),
    ...(drift && { drift }),
    ...(objects && { objects: fitting(objects) }),
  };
  return { ...newer, payload: JSON.stringify(merged) };
}

/** Returns the newest item of each object, as many as fit. */
function mergedItems<Item>(
  older: readonly Item[] | undefined,
  newer: readonly Item[] | undefined,
  { most, identity }: { most: number; identity: (item: Item) => string },
): Item[] | undefined {
  if (older === undefined && newer === undefined) return undefined;
  const items = new Map<string, Item>();
  for (const item of [...(older ?? []), ...(newer ?? [])]) {
    items.delete(identity(item));
    items.set(identity(item), item);
  }
  return [...items.values()].slice(-most);
}

/** Returns the last objects that fit in a packet together, at least one. */
function fitting(changes: readonly ObjectChange[]): ObjectChange[] {
  let length = 0;
  const first = changes.findLastIndex(({ object }, index) => {
    length += JSON.stringify(object).length;
    return length > maxObjectsLength && index < changes.length - 1;
  });
  return changes.slice(first + 1);
}

function nameOfChanged({ object }: ObjectChange): string {
  return JSON.stringify([
    object['kind'],
    fieldAt(object, 'metadata', 'namespace'),
    fieldAt(object, 'metadata', 'name'),
  ]);
}

function statusOf({ payload }: Reply): Status {
  return JSON.parse(payload) as Status; // as the router wrote it
}

function identityOf({ apiVersion, kind, namespace = '', name }: Named): string {
  return [apiVersion, kind, namespace, name].join('/');
}
