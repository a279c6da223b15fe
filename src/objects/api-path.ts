import type { ResourceKind } from './object.ts';
import { pathSegment } from './path-segment.ts';

/**
 * Returns the path of a kind's collection, of one object, or of an object's subresource. The
 * namespace is left out if the kind has none. Throws InvalidNameError for a part that would not be
 * exactly one segment of the path, also if the part comes from discovery, which any API service
 * can extend.
 */
export function apiPath(
  { apiVersion, resource, namespaced }: Pick<ResourceKind, 'apiVersion' | 'resource' | 'namespaced'>,
  target: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined } = {},
): string {
  const { namespace, name, subresource } = target;
  const segments = [groupVersionPath(apiVersion)];
  if (namespaced && namespace !== undefined) segments.push('namespaces', pathSegment('namespace', namespace));
  segments.push(pathSegment('resource', resource));
  if (name !== undefined) segments.push(pathSegment('resource name', name));
  if (subresource !== undefined) segments.push(pathSegment('subresource', subresource));
  return segments.join('/');
}

/** Returns the path of a group version: `/apis/apps/v1`, or `/api/v1` for the core group. */
export function groupVersionPath(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  if (slash === -1) return `/api/${pathSegment('version', apiVersion)}`;
  const group = pathSegment('group', apiVersion.slice(0, slash));
  return `/apis/${group}/${pathSegment('version', apiVersion.slice(slash + 1))}`;
}
