/** A right to do something to objects of a kind, in the terms of RBAC. */
export interface Access {
  verb: 'get' | 'create' | 'patch' | 'update' | 'delete';
  /** Empty for the core group. */
  group: string;
  /** Such as `deployments`. */
  resource: string;
  /** Undefined for a kind without namespaces. */
  namespace?: string | undefined;
  /** Name of the object. Undefined if it gets one from the API server. */
  name?: string | undefined;
}

/** Asks the API server about the rights of the user who sends the requests. */
export interface AccessReviewer {
  /** Returns those of the rights that the user does not have. Asks about a limited number. */
  missing(wanted: readonly Access[], signal: AbortSignal): Promise<Access[]>;
}

/** Returns a right as `create deployments.apps in the namespace shop`. */
export function accessText({ verb, group, resource, namespace }: Omit<Access, 'name'>): string {
  const place = namespace === undefined ? 'in the whole cluster' : `in the namespace ${namespace}`;
  return `${verb} ${group === '' ? resource : `${resource}.${group}`} ${place}`;
}

/** Rights to objects of one kind in one place. */
export interface NeededRights extends Omit<Access, 'verb' | 'name'> {
  verbs: string[];
}

/** Returns rights with one entry for each kind and place. */
export function neededRights(needed: readonly Access[]): NeededRights[] {
  const byPlace = new Map<string, NeededRights>();
  for (const { verb, group, resource, namespace } of needed) {
    const key = JSON.stringify([namespace, group, resource]);
    const entry = byPlace.get(key) ?? { group, resource, ...(namespace !== undefined && { namespace }), verbs: [] };
    if (!entry.verbs.includes(verb)) entry.verbs.push(verb);
    byPlace.set(key, entry);
  }
  return [...byPlace.values()];
}
