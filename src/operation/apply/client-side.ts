import type { JsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { createMergePatch, threeWayMergePatch } from '../../objects/patch/json-merge-patch.ts';
import { threeWayPatch } from '../../objects/patch/strategic-merge-patch.ts';
import { withPrefix } from '../error.ts';
import type { ApplyStrategy, ObjectUpdate, StrategyTools } from './strategy.ts';
import { fieldManager, refusal, send, throwIfEnded } from './write.ts';

export interface ClientSideOptions {
  /**
   * Whether patches of custom resources also undo what others changed. Helm does so only when it
   * takes over existing objects.
   */
  mergesCustomResources: boolean;
}

/**
 * Creates objects, and changes them by patches that are made of three forms: what was applied
 * before, what is wanted, and what the cluster has (pkg/kube/client.go, createPatch).
 */
export function clientSide(tools: StrategyTools, { mergesCustomResources }: ClientSideOptions): ApplyStrategy {
  const { cluster, signal, onWarning } = tools;
  const options = { fieldManager, fieldValidation: 'Warn', signal, onWarning } as const;

  async function patchOf({ original, item, live }: ObjectUpdate): Promise<{ patch: JsonObject; isStrategic: boolean }> {
    const { apiVersion, kind } = item.ref;
    const schema = await cluster.patchSchema(apiVersion, kind, signal);
    if (schema !== undefined) return { patch: threeWayPatch(original, item.object, live, schema), isStrategic: true };
    const patch = mergesCustomResources
      ? threeWayMergePatch(original, item.object, live)
      : createMergePatch(original, item.object);
    return { patch, isStrategic: false };
  }

  return {
    create: (item) => createClientSide(item, tools),
    async update(update) {
      const { item, live } = update;
      const { patch, isStrategic } = await patchOf(update).catch((error: unknown) => {
        signal.throwIfAborted();
        throw withPrefix('failed to create patch', error);
      });
      if (Object.keys(patch).length === 0) return live;
      const checked = withUid(patch, live);
      try {
        return await send(item, tools, () =>
          isStrategic
            ? cluster.strategicMergePatch(item.ref, checked, options)
            : cluster.mergePatch(item.ref, checked, options),
        );
      } catch (cause) {
        throwIfEnded(cause, signal);
        throw refusal(`cannot patch ${JSON.stringify(item.ref.name)} with kind ${item.ref.kind}`, item, cause);
      }
    },
  };
}

/** Sends a POST, which fails if the object exists. */
export async function createClientSide(
  item: Parameters<ApplyStrategy['create']>[0],
  tools: StrategyTools,
): Promise<KubeObject> {
  const { cluster, signal, onWarning } = tools;
  const options = { fieldManager, fieldValidation: 'Warn', signal, onWarning } as const;
  try {
    return await send(item, tools, () => cluster.create(item.object, options));
  } catch (cause) {
    throwIfEnded(cause, signal);
    throw refusal('', item, cause);
  }
}

/** Adds the uid to a patch, so that another object with the same name is not changed. */
function withUid(patch: JsonObject, { metadata: { uid } }: KubeObject): JsonObject {
  const metadata = patch['metadata'] as JsonObject | undefined; // every object has a map there
  return uid === undefined ? patch : { ...patch, metadata: { ...metadata, uid } };
}
