import { isDeepStrictEqual } from 'node:util';
import { fieldAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type FieldError, invalidValue } from '../api-error.ts';

/** Validates that an update of a built-in kind does not change immutable fields. */
export function immutableFieldErrors(current: KubeObject, next: KubeObject): FieldError[] {
  const { kind } = next;
  return (Object.hasOwn(errorsOfKind, kind) && errorsOfKind[kind]?.(current, next)) || [];
}

type Check = (current: KubeObject, next: KubeObject) => FieldError[];

const errorsOfKind: Readonly<Record<string, Check>> = {
  Deployment: immutable('spec.selector'),
  ReplicaSet: immutable('spec.selector'),
  DaemonSet: immutable('spec.selector'),
  StatefulSet: statefulSetErrors,
  Job: immutable('spec.completions', 'spec.selector', 'spec.template', 'spec.completionMode'),
  Service: serviceErrors,
  Secret: (current, next) => [...immutable('type')(current, next), ...frozenDataErrors(current, next)],
  ConfigMap: frozenDataErrors,
  PersistentVolumeClaim: claimErrors,
  RoleBinding: roleRefErrors,
  ClusterRoleBinding: roleRefErrors,
  StorageClass: immutable('provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'),
  PriorityClass: immutable('value', 'preemptionPolicy'),
  Pod: podErrors,
};

function immutable(...paths: string[]): Check {
  return (current, next) =>
    paths
      .filter((path) => changed(current, next, path))
      .map((path) => invalidValue(path, fieldAt(next, ...path.split('.')), 'field is immutable'));
}

function changed(current: KubeObject, next: KubeObject, path: string): boolean {
  return !isDeepStrictEqual(fieldAt(current, ...path.split('.')), fieldAt(next, ...path.split('.')));
}

/** Whether two specs differ in any field that is not allowed to change. */
function differsBeyond(current: KubeObject, next: KubeObject, allowed: readonly string[]): boolean {
  const rest = (object: KubeObject): JsonObject =>
    Object.fromEntries(Object.entries(objectAt(object, 'spec')).filter(([field]) => !allowed.includes(field)));
  return !isDeepStrictEqual(rest(current), rest(next));
}

function forbiddenSpec(detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field: 'spec', message: `Forbidden: ${detail}` };
}

const statefulSetFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function statefulSetErrors(current: KubeObject, next: KubeObject): FieldError[] {
  if (!differsBeyond(current, next, statefulSetFields)) return [];
  const quoted = statefulSetFields.map((field) => `'${field}'`);
  const list = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`;
  return [forbiddenSpec(`updates to statefulset spec for fields other than ${list} are forbidden`)];
}

function serviceErrors(current: KubeObject, next: KubeObject): FieldError[] {
  const before = stringAt(current, 'spec', 'clusterIP') ?? '';
  const after = stringAt(next, 'spec', 'clusterIP') ?? '';
  if (before === '' || before === after || stringAt(next, 'spec', 'type') === 'ExternalName') return [];
  return [invalidValue('spec.clusterIPs[0]', [after], 'may not change once set')];
}

function frozenDataErrors(current: KubeObject, next: KubeObject): FieldError[] {
  if (current['immutable'] !== true) return [];
  const forbidden = (field: string): FieldError => ({
    reason: 'FieldValueForbidden',
    field,
    message: 'Forbidden: field is immutable when `immutable` is set',
  });
  return ['immutable', 'data', 'binaryData'].filter((field) => changed(current, next, field)).map(forbidden);
}

function claimErrors(current: KubeObject, next: KubeObject): FieldError[] {
  const mutable = ['resources', 'volumeAttributesClassName'];
  const bound = (stringAt(current, 'spec', 'volumeName') ?? '') !== '';
  if (!differsBeyond(current, next, bound ? mutable : [...mutable, 'volumeName', 'storageClassName'])) return [];
  return [
    forbiddenSpec(
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ),
  ];
}

function roleRefErrors(current: KubeObject, next: KubeObject): FieldError[] {
  return changed(current, next, 'roleRef') ? [invalidValue('roleRef', next['roleRef'], 'cannot change roleRef')] : [];
}

function podErrors(current: KubeObject, next: KubeObject): FieldError[] {
  const allowed = [
    'containers',
    'initContainers',
    'activeDeadlineSeconds',
    'tolerations',
    'terminationGracePeriodSeconds',
    'nodeName',
  ];
  const withoutImages = (object: KubeObject): unknown[] =>
    [fieldAt(object, 'spec', 'containers'), fieldAt(object, 'spec', 'initContainers')].map((list) =>
      Array.isArray(list)
        ? list.map((container: unknown) => (isJsonObject(container) ? { ...container, image: '' } : container))
        : list,
    );
  if (!differsBeyond(current, next, allowed) && isDeepStrictEqual(withoutImages(current), withoutImages(next)))
    return [];
  return [
    forbiddenSpec(
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ),
  ];
}
