import { isJsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { ApiError } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { parseJson } from './body.ts';
import type { ApiRequest } from './request.ts';
import type { ResourcePath } from './resource-path.ts';
import type { ApiResponse } from './response.ts';

/** A rule of a Role. */
interface PolicyRule {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
}

/** An access to a resource, as reviews name it. */
interface ResourceAccess {
  verb: string;
  group: string;
  resource: string;
  namespace: string;
  name: string;
}

const reviews = '/apis/authorization.k8s.io/v1/';
const rbac = 'rbac.authorization.k8s.io';

/**
 * Throws a 403 if a request impersonates a user whom RBAC does not allow it. A request of the token
 * itself may do everything.
 */
export function authorize(state: ClusterState, request: ApiRequest, path: ResourcePath): void {
  const { user } = request;
  if (user === undefined) return;
  for (const verb of verbsOf(state, request, path)) {
    const { group, namespace = '', name = '', plural, subresource } = path;
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const isNamespace = group === '' && plural === 'namespaces';
    const access = { verb, group, resource, namespace: isNamespace ? name : namespace, name };
    if (!isAllowed(state, user, access)) throw denied(user, access, namespace);
  }
}

/** Responds to a review of the user's own rights. Returns undefined for any other request. */
export function ownRights(state: ClusterState, { method, path, body, user }: ApiRequest): ApiResponse | undefined {
  if (method !== 'POST' || !path.startsWith(reviews)) return undefined;
  const review = parseJson(body) as { spec?: { namespace?: string; resourceAttributes?: unknown } }; // not validated
  if (path === `${reviews}selfsubjectrulesreviews`) {
    const everything: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const namespace = review.spec?.namespace ?? '';
    const resourceRules = user === undefined ? [everything] : rulesOf(state, user, namespace);
    return { status: 201, body: { ...review, status: { resourceRules, nonResourceRules: [], incomplete: false } } };
  }
  if (path !== `${reviews}selfsubjectaccessreviews`) return undefined;
  const asked = (review.spec?.resourceAttributes ?? {}) as Partial<ResourceAccess> & { subresource?: string }; // as above
  const { verb = '', group = '', resource = '', namespace = '', name = '', subresource } = asked;
  const access = { verb, group, namespace, name, resource: subresource ? `${resource}/${subresource}` : resource };
  return {
    status: 201,
    body: { ...review, status: { allowed: user === undefined || isAllowed(state, user, access) } },
  };
}

function verbsOf(
  state: ClusterState,
  request: ApiRequest,
  { group, plural, namespace = '', name }: ResourcePath,
): string[] {
  switch (request.method) {
    case 'GET':
      if (name !== undefined) return ['get'];
      return [['true', '1'].includes(request.query.get('watch') ?? '') ? 'watch' : 'list'];
    case 'POST':
      return ['create'];
    case 'PUT':
      return ['update'];
    case 'DELETE':
      return [name === undefined ? 'deletecollection' : 'delete'];
    default: {
      const isNew = state.store.get(`${group}/${plural}`, namespace, name ?? '') === undefined;
      return isNew && request.contentType === 'application/apply-patch+yaml' ? ['patch', 'create'] : ['patch'];
    }
  }
}

function isAllowed(
  state: ClusterState,
  user: string,
  { verb, group, resource, namespace, name }: ResourceAccess,
): boolean {
  const has = (values: readonly string[], value: string) => values.includes('*') || values.includes(value);
  return rulesOf(state, user, namespace).some(
    (rule) =>
      has(rule.verbs, verb) &&
      has(rule.apiGroups, group) &&
      has(rule.resources, resource) &&
      (rule.resourceNames === undefined || rule.resourceNames.includes(name)),
  );
}

/** Returns the rules of all roles that are bound to a user, in a namespace and in the cluster. */
function rulesOf(state: ClusterState, user: string, namespace: string): PolicyRule[] {
  const bound = [
    ...state.store.list(`${rbac}/clusterrolebindings`),
    ...(namespace === '' ? [] : state.store.list(`${rbac}/rolebindings`, namespace)),
  ];
  return bound.filter((binding) => isSubject(binding, user)).flatMap((binding) => rulesOfRole(state, binding));
}

function rulesOfRole(state: ClusterState, { metadata, roleRef }: KubeObject): PolicyRule[] {
  if (!isJsonObject(roleRef)) return [];
  const isClusterRole = roleRef['kind'] === 'ClusterRole';
  const collection = `${rbac}/${isClusterRole ? 'clusterroles' : 'roles'}`;
  const role = state.store.get(collection, isClusterRole ? '' : (metadata.namespace ?? ''), String(roleRef['name']));
  return (role?.['rules'] as PolicyRule[] | undefined) ?? []; // in the form of the API
}

function isSubject({ subjects }: KubeObject, user: string): boolean {
  const [, , namespace = '', name] = user.split(':');
  const groups = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return (
    Array.isArray(subjects) &&
    subjects.some(
      (subject: unknown) =>
        isJsonObject(subject) &&
        ((subject['kind'] === 'ServiceAccount' && subject['name'] === name && subject['namespace'] === namespace) ||
          (subject['kind'] === 'Group' && groups.includes(String(subject['name'])))),
    )
  );
}

function denied(user: string, { verb, group, resource, name }: ResourceAccess, namespace: string): ApiError {
  const type = group === '' ? resource.split('/')[0] : `${resource.split('/')[0] ?? ''}.${group}`;
  const subject = name === '' ? type : `${type ?? ''} "${name}"`;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message = `${subject ?? ''} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${place}`;
  return new ApiError(403, 'Forbidden', message, { name, group, kind: resource });
}
