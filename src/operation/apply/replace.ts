import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { createClientSide } from './client-side.ts';
import type { ApplyStrategy, StrategyTools } from './strategy.ts';
import { fieldManager, refusal, send, throwIfEnded } from './write.ts';

const attempts = 5;

/**
 * Creates objects, and replaces those that exist as a whole, by PUT, in the version that they have
 * then. A change by others at the same moment is replaced, too.
 */
export function replacing(tools: StrategyTools): ApplyStrategy {
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
