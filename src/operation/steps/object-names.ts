import { requireObjectName } from '../../objects/path-segment.ts';
import type { Hook } from '../../release/hook.ts';
import type { ManifestObject } from '../../render/release-renderer.ts';
import { forEach } from '../apply/concurrency.ts';
import type { OperationContext } from '../context.ts';

/**
 * Throws InvalidNameError if a hook has an object whose name or namespace cannot be part of a
 * request. Runs before anything changes, so that no other hook and no object is created or deleted
 * first. As in Helm, a hook that cannot be read fails when it runs.
 */
export async function checkHookNames(
  { renderer }: Pick<OperationContext, 'renderer'>,
  hooks: readonly Hook[] = [],
  signal: AbortSignal,
): Promise<void> {
  await forEach(hooks, async ({ manifest, path }) => {
    let objects: readonly ManifestObject[];
    try {
      objects = await renderer.readObjects(manifest, `unable to build kubernetes object for hook ${path}`, signal);
    } catch {
      signal.throwIfAborted();
      return;
    }
    for (const { object } of objects) requireObjectName(object.metadata);
  });
}

/** Does the same as {@link checkHookNames} for the objects of a manifest and its hooks. */
export async function checkStoredNames(
  context: Pick<OperationContext, 'renderer'>,
  { manifest, hooks }: { manifest: string; hooks?: Hook[] },
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { object } of await context.renderer.readObjects(manifest, prefix, signal)) {
    requireObjectName(object.metadata);
  }
  await checkHookNames(context, hooks, signal);
}
