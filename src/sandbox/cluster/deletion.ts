import type { KubeObject } from '../../objects/object.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { timestamp, type SandboxHost } from '../sandbox-host.ts';

export interface DeleteRequest {
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

/** The finalizers with which the API remembers how dependents are to be treated. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** An object that is marked for deletion and that no finalizer keeps any longer. */
export function isDeleted(object: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && !endsLater(object);
}

/** The object as a deletion leaves it, or undefined where it goes at once. Asked again for an object that is being deleted, it changes nothing. */
export function markDeleted(
  type: ResourceType,
  current: KubeObject,
  request: DeleteRequest,
  host: SandboxHost,
): KubeObject | undefined {
  const next = structuredClone(current);
  const finalizers = finalizersFor(type, current, request);
  const grace = graceOf(type, current, request);
  if (finalizers.length === 0 && grace === 0 && !isNamespace(type)) return undefined;
  if (finalizers.length > 0) next.metadata.finalizers = finalizers;
  else delete next.metadata.finalizers;
  next.metadata.deletionTimestamp ??= timestamp(host);
  next.metadata['deletionGracePeriodSeconds'] ??= grace;
  if (isNamespace(type)) next['status'] = { phase: 'Terminating' };
  else if (type.counted && current.metadata.deletionTimestamp === undefined)
    next.metadata.generation = (current.metadata.generation ?? 0) + 1;
  return next;
}

function finalizersFor(type: ResourceType, current: KubeObject, request: DeleteRequest): string[] {
  const kept = (current.metadata.finalizers ?? []).filter(
    (name) => ![foregroundFinalizer, orphanFinalizer].includes(name),
  );
  switch (request.propagationPolicy ?? defaultPropagation(type, current)) {
    case 'Foreground':
      return [...kept, foregroundFinalizer];
    case 'Orphan':
      return [...kept, orphanFinalizer];
    default:
      return kept;
  }
}

/** For the sake of old clients, Jobs leave their pods behind unless the request says otherwise. */
function defaultPropagation(type: ResourceType, current: KubeObject): string {
  const finalizers = current.metadata.finalizers ?? [];
  if (finalizers.includes(foregroundFinalizer)) return 'Foreground';
  if (finalizers.includes(orphanFinalizer) || (type.group === 'batch' && type.plural === 'jobs')) return 'Orphan';
  return 'Background';
}

/** Only pods end gracefully, and only those that run somewhere. */
function graceOf(type: ResourceType, current: KubeObject, request: DeleteRequest): number {
  const spec = current['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined; // defaults were filled in
  if (type.group !== '' || type.plural !== 'pods' || !spec?.nodeName) return 0;
  return request.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
}

function isNamespace(type: ResourceType): boolean {
  return type.group === '' && type.plural === 'namespaces';
}

/** Pods that are being stopped, and namespaces that are being emptied, are ended by their controller. */
function endsLater(object: KubeObject): boolean {
  if (object.apiVersion !== 'v1') return false;
  return object.kind === 'Namespace' || (object.kind === 'Pod' && object.metadata['deletionGracePeriodSeconds'] !== 0);
}
