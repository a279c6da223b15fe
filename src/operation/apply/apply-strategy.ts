import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import { OperationError } from '../error.ts';
import type { ApplySettings } from './apply-settings.ts';
import { clientSide, createClientSide } from './client-side.ts';
import { migrateManagedFields } from './field-ownership.ts';
import { recreating } from './recreate.ts';
import type { ReleaseObject } from './release-object.ts';
import type { ApplyStrategy, ApplyTools, StrategyTools } from './strategy.ts';
import { warningReporter } from './warnings.ts';
import { describe, fieldManager, refusal, send, throwIfEnded } from './write.ts';

export interface StrategyOptions {
  /**
   * Whether fields that were applied client-side become fields of server-side apply first.
   * Default: false.
   */
  migrate?: boolean;
  /**
   * Whether client-side apply also undoes what others changed in custom resources. Default: false.
   */
  mergesCustomResources?: boolean;
}

/** Returns the strategy that the settings of a revision select. */
export function applyStrategy(
  settings: ApplySettings,
  applyTools: ApplyTools,
  { migrate = false, mergesCustomResources = false }: StrategyOptions = {},
): ApplyStrategy {
  const { method, forceConflicts = false, forceReplace = false, recreate } = settings;
  const onWarning = warningReporter((text) => {
    applyTools.report({ message: `warning of the API server: ${text}` });
  });
  const tools: StrategyTools = { ...applyTools, onWarning };
  const strategy =
    method === 'ssa'
      ? serverSide(tools, { force: forceConflicts, migrate })
      : forceReplace
        ? replacing(tools)
        : clientSide(tools, { mergesCustomResources });
  const { watching } = applyTools;
  return recreate === 'immutable' && watching ? recreating(strategy, tools, watching) : strategy;
}

const attempts = 5;

/**
 * Creates objects, and replaces those that exist as a whole, by PUT, in the version that they have
 * then. A change by others at the same moment is replaced, too.
 */
function replacing(tools: StrategyTools): ApplyStrategy {
  const { cluster, signal, onWarning } = tools;
  return {
    create: (item) => createClientSide(item, tools),
    async update({ item, live }) {
      const { uid } = live.metadata;
      let { resourceVersion } = live.metadata;
      for (let attempt = 1; ; attempt += 1) {
        const metadata = { ...item.object.metadata, uid, resourceVersion };
        try {
          return await send(item, tools, () =>
            cluster.replace({ ...item.object, metadata } as typeof item.object, { fieldManager, signal, onWarning }),
          );
        } catch (cause) {
          throwIfEnded(cause, signal);
          const isChanged = hasClusterErrorCode(cause, 'conflict') && attempt < attempts;
          const found = isChanged ? await cluster.get(item.ref, signal) : undefined;
          if (found === undefined || found.metadata.uid !== uid) throw refusal('failed to replace object', item, cause);
          ({ resourceVersion } = found.metadata);
        }
      }
    },
  };
}

interface ServerSideOptions {
  /** Whether fields are taken over from other managers. */
  force: boolean;
  /** Whether fields that were applied client-side become fields of server-side apply first. */
  migrate: boolean;
}

/**
 * Applies objects by server-side apply. Throws `conflict` if another manager owns one of the fields
 * with a different value, or `apply_failed`.
 */
function serverSide(tools: StrategyTools, { force, migrate }: ServerSideOptions): ApplyStrategy {
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
