import { createClientSide } from './client-side.ts';
import type { ApplyStrategy, StrategyTools } from './strategy.ts';
import { fieldManager, refusal, send, throwIfEnded } from './write.ts';

/** Creates objects, and replaces those that exist as a whole, by PUT. */
export function replacing(tools: StrategyTools): ApplyStrategy {
  const { cluster, signal, onWarning } = tools;
  return {
    create: (item) => createClientSide(item, tools),
    async update({ item, live }) {
      const { uid, resourceVersion } = live.metadata;
      const metadata = { ...item.object.metadata, uid, resourceVersion };
      try {
        return await send(item, tools, () =>
          cluster.replace({ ...item.object, metadata } as typeof item.object, { fieldManager, signal, onWarning }),
        );
      } catch (cause) {
        throwIfEnded(cause, signal);
        throw refusal('failed to replace object', item, cause);
      }
    },
  };
}
