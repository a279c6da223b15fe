import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import { OperationError } from '../error.ts';
import type { ApplySettings } from './apply-settings.ts';
import { applyStrategy } from './apply-strategy.ts';
import { migrateManagedFields } from './field-ownership.ts';
import type { ReleaseObject } from './release-object.ts';
import type { ApplyTools } from './strategy.ts';
import { fieldManager } from './write.ts';

/**
 * Policy for the CRDs in the folder `crds/` of a chart: they are left, those that do not exist are
 * created, or those that exist are changed too, also fields of other managers. The API server
 * refuses a change that drops a version in which objects are stored.
 */
export type CrdPolicy = 'skip' | 'create' | 'create-replace';

/** A CRD in the cluster. */
export interface AppliedCrd {
  live: KubeObject;
  isChanged: boolean;
}

/**
 * Returns a function that brings a CRD to the cluster. Without a policy it does what Helm does on
 * installation (pkg/action/install.go, installCRDs): server-side, it applies the CRD whether it
 * exists or not, and client-side it creates it.
 */
export function crdStrategy(
  policy: 'apply' | Exclude<CrdPolicy, 'skip'>,
  settings: ApplySettings,
  tools: ApplyTools,
): (item: ReleaseObject) => Promise<AppliedCrd> {
  const { cluster, signal } = tools;
  const replaces = policy === 'create-replace';
  const { forceConflicts = false } = settings;
  const strategy = applyStrategy(
    replaces ? { method: 'ssa', forceConflicts: true } : { method: settings.method, forceConflicts },
    tools,
    { migrate: replaces },
  );

  /** Applies a CRD that helm itself may have applied client-side. */
  const apply = async (item: ReleaseObject): Promise<KubeObject> => {
    try {
      return await strategy.create(item);
    } catch (error) {
      signal.throwIfAborted();
      if (!isConflictWithOwnFields(error)) throw error;
      const live = await cluster.get(item.ref, signal);
      if (live !== undefined) await migrateManagedFields(cluster, item, live, fieldManager, signal);
      return strategy.create(item);
    }
  };

  return async (item) => {
    const live = policy === 'apply' ? undefined : await cluster.get(item.ref, signal);
    if (live !== undefined && !replaces) return { live, isChanged: false };
    if (live !== undefined) return { live: await strategy.update({ original: live, item, live }), isChanged: true };
    try {
      return { live: await apply(item), isChanged: true };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error) || !hasClusterErrorCode(error.cause, 'already_exists')) throw error;
      return { live: (await cluster.get(item.ref, signal)) ?? item.object, isChanged: false };
    }
  };
}

/** Whether the only other manager of the fields is helm, which applied them client-side. */
function isConflictWithOwnFields(error: unknown): boolean {
  if (!(error instanceof OperationError) || error.code !== 'conflict') return false;
  return error.problems.length > 0 && error.problems.every(({ manager }) => manager === fieldManager);
}
