/** The parts of an API URL. */
export interface ResourcePath {
  group: string;
  version: string;
  plural: string;
  /** Absent for cluster-scoped kinds and for a collection across all namespaces. */
  namespace?: string;
  name?: string;
  subresource?: string;
}

/** Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`. Returns undefined for any other path. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const steps = path
    .split('/')
    .filter((step) => step !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = steps;
  if (root === 'api') return parseRest('', rest);
  return root === 'apis' && rest[0] !== undefined ? parseRest(rest[0], rest.slice(1)) : undefined;
}

function parseRest(group: string, [version, ...steps]: string[]): ResourcePath | undefined {
  if (version === undefined || steps.length === 0) return undefined;
  const [first, namespace, plural] = steps;
  const inNamespace =
    first === 'namespaces' && plural !== undefined && !isNamespaceSubresource(group, plural, steps.length);
  const resourceSteps = inNamespace ? steps.slice(2) : steps;
  const [resource, name, subresource, ...more] = resourceSteps;
  if (resource === undefined || more.length > 0) return undefined;
  return {
    group,
    version,
    plural: resource,
    ...(inNamespace && namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

/**
 * Whether the path is a subresource of a namespace, such as `namespaces/web/status`, not a
 * collection in it.
 */
function isNamespaceSubresource(group: string, plural: string, steps: number): boolean {
  return group === '' && steps === 3 && (plural === 'status' || plural === 'finalize');
}
