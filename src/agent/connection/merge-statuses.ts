import { maxResources, type Status } from '../../protocol/messages.ts';
import type { Reply } from '../router/reply.ts';

type Resource = NonNullable<Status['resources']>[number];

/**
 * Returns one status in place of two of the same command. It is the newer one, with the resources
 * of the older one that it does not have itself.
 */
export function mergeStatuses(older: Reply, newer: Reply): Reply {
  const before = statusOf(older);
  const after = statusOf(newer);
  if (before.step !== after.step || before.resources === undefined) return newer;
  const resources = new Map<string, Resource>();
  for (const resource of [...before.resources, ...(after.resources ?? [])]) {
    resources.delete(identityOf(resource));
    resources.set(identityOf(resource), resource);
  }
  const merged: Status = { ...after, resources: [...resources.values()].slice(-maxResources) };
  return { ...newer, payload: JSON.stringify(merged) };
}

function statusOf({ payload }: Reply): Status {
  return JSON.parse(payload) as Status; // as the router wrote it
}

function identityOf({ apiVersion, kind, namespace = '', name }: Resource): string {
  return [apiVersion, kind, namespace, name].join('/');
}
