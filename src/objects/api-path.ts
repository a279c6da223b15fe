import type { ResourceKind } from './object.ts';

/**
 * Returns the path of a kind's collection, of one object, or of an object's subresource. The
 * namespace is left out if the kind has none.
 */
export function apiPath(
  kind: ResourceKind,
  target: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined } = {},
): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const scope =
    kind.namespaced && target.namespace !== undefined ? `/namespaces/${encodeURIComponent(target.namespace)}` : '';
  const name = target.name === undefined ? '' : `/${encodeURIComponent(target.name)}`;
  const subresource = target.subresource === undefined ? '' : `/${target.subresource}`;
  return `${root}${scope}/${kind.resource}${name}${subresource}`;
}
