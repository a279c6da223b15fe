import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import { OperationError } from '../error.ts';
import { migrateManagedFields } from './field-ownership.ts';
import type { ReleaseObject } from './release-object.ts';
import type { ApplyStrategy, StrategyTools } from './strategy.ts';
import { describe, fieldManager, refusal, send, throwIfEnded } from './write.ts';

export interface ServerSideOptions {
  /** Whether fields are taken over from other managers. */
  force: boolean;
  /** Whether fields that were applied client-side become fields of server-side apply first. */
  migrate: boolean;
}

/**
 * Applies objects by server-side apply. Throws `conflict` if another manager owns one of the fields
 * with a different value, or `apply_failed`.
 */
export function serverSide(tools: StrategyTools, { force, migrate }: ServerSideOptions): ApplyStrategy {
  const { cluster, signal, onWarning } = tools;

  async function apply(item: ReleaseObject, object: KubeObject): Promise<KubeObject> {
    if (item.ref.name === '') throw withoutName(item);
    try {
      return await send(item, tools, () => cluster.apply(object, { fieldManager, force, signal, onWarning }));
    } catch (cause) {
      throwIfEnded(cause, signal);
      const isConflict = hasClusterErrorCode(cause, 'conflict');
      const refused = isConflict ? 'conflict occurred while applying' : 'server-side apply failed for';
      throw refusal(`${refused} object ${describe(item)}`, item, cause);
    }
  }

  return {
    create: (item) => apply(item, item.object),
    async update({ item, live }) {
      if (migrate) await migrateManagedFields(cluster, item, live, fieldManager, signal);
      const { uid } = live.metadata;
      // with the uid, another object with the same name is not changed
      return apply(item, { ...item.object, metadata: { ...item.object.metadata, ...(uid !== undefined && { uid }) } });
    },
  };
}

/** Server-side apply needs a name. The message is Helm's. */
function withoutName(item: ReleaseObject): OperationError {
  const message = `server-side apply failed for object ${describe(item)}: resource name may not be empty`;
  return new OperationError('apply_failed', message);
}
