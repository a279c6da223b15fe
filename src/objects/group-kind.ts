import type { ObjectRef } from './object.ts';

/** Returns the group of an `apiVersion`: `apps` for `apps/v1`, empty for the core group's `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** Returns the version of an `apiVersion`: `v1` for `apps/v1`. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** Returns `group/Kind`, or `Kind` for the core group. */
export function groupKind({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  const group = groupOf(apiVersion);
  return group === '' ? kind : `${group}/${kind}`;
}

/**
 * Returns a text that is the same for two references to one object. As in Helm, the version of the
 * API does not count.
 */
export function identityOf({
  apiVersion,
  kind,
  namespace = '',
  name,
}: Omit<ObjectRef, 'namespace'> & { namespace?: string | undefined }): string {
  return `${groupOf(apiVersion)}/${kind}/${namespace}/${name}`;
}
