import type { KubeObject } from '../../objects/object.ts';
import type { Preconditions } from '../admission/preconditions.ts';
import { type SandboxHost, timestamp } from '../sandbox-host.ts';
import type { ResourceType } from '../store/resource-type.ts';

/** Options of a deletion, like Kubernetes' DeleteOptions. */
export interface DeleteRequest {
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
  preconditions?: Preconditions;
  dryRun?: boolean;
}

/** Finalizers by which the API records how to delete dependents. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** Whether an object is marked for deletion and has no finalizer left. */
export function isDeleted(object: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && !isRemovedByController(object);
}

/**
 * Returns the object with the marks of a deletion, or undefined if it can be removed at once. An
 * object that is already marked does not change.
 */
export function markDeleted(
  type: ResourceType,
  current: KubeObject,
  request: DeleteRequest,
  host: SandboxHost,
): KubeObject | undefined {
  const next = structuredClone(current);
  const finalizers = finalizersFor(type, current, request);
  const grace = gracePeriodOf(type, current, request);
  if (finalizers.length === 0 && grace === 0 && !isNamespace(type)) return undefined;
  if (finalizers.length > 0) next.metadata.finalizers = finalizers;
  else delete next.metadata.finalizers;
  next.metadata.deletionTimestamp ??= timestamp(host);
  next.metadata['deletionGracePeriodSeconds'] ??= grace;
  if (isNamespace(type)) next['status'] = { phase: 'Terminating' };
  else if (type.hasGeneration && current.metadata.deletionTimestamp === undefined)
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

/**
 * Returns the default policy. Jobs orphan their pods by default, for compatibility with old
 * clients.
 */
function defaultPropagation(type: ResourceType, current: KubeObject): string {
  const finalizers = current.metadata.finalizers ?? [];
  if (finalizers.includes(foregroundFinalizer)) return 'Foreground';
  if (finalizers.includes(orphanFinalizer) || (type.group === 'batch' && type.plural === 'jobs')) return 'Orphan';
  return 'Background';
}

/** Returns the grace period in seconds. Only pods that are scheduled to a node have one. */
function gracePeriodOf(type: ResourceType, current: KubeObject, request: DeleteRequest): number {
  // Defaults are set.
  const spec = current['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  if (type.group !== '' || type.plural !== 'pods' || !spec?.nodeName) return 0;
  return request.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
}

function isNamespace(type: ResourceType): boolean {
  return type.group === '' && type.plural === 'namespaces';
}

/**
 * Whether a controller removes the object: a pod that is stopping, or a namespace that is being
 * emptied.
 */
function isRemovedByController(object: KubeObject): boolean {
  if (object.apiVersion !== 'v1') return false;
  return object.kind === 'Namespace' || (object.kind === 'Pod' && object.metadata['deletionGracePeriodSeconds'] !== 0);
}
