import type { ObjectTarget } from '../../objects/object-target.ts';
import type { Hook } from '../../release/hook.ts';
import type { CrdManifest } from '../../render/release-renderer.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import type { OperationContext } from '../context.ts';

/** The changes that an operation is about to make. */
export interface IntendedChanges {
  /** Objects to apply or to delete. */
  objects?: readonly Pick<ReleaseObject, 'ref' | 'object'>[];
  /** A manifest that is not resolved yet. */
  manifest?: string;
  hooks?: readonly Hook[];
  crds?: readonly CrdManifest[];
  /** Where objects are whose manifest has no namespace. */
  namespace: string;
}

/**
 * Throws `denied_by_policy` unless the policy of the command allows all changes, so that none is
 * made if one is refused. Reads hooks that cannot be read as Helm does: they fail when they run.
 */
export async function requireAllowed(
  { policy, renderer }: Pick<OperationContext, 'policy' | 'renderer'>,
  { objects = [], manifest, hooks = [], crds = [], namespace }: IntendedChanges,
  signal: AbortSignal,
): Promise<void> {
  if (policy === undefined) return;
  const requireOne = async (target: ObjectTarget, object: object) => {
    policy.requireChange(target, object);
    await policy.conditions?.requireObject(object);
  };
  for (const { ref, object } of objects) await requireOne(ref, object);
  const read = async (text: string) => {
    const found = await renderer.readObjects(text, '', signal).catch(() => []);
    signal.throwIfAborted();
    return found;
  };
  const manifests = [...(manifest === undefined ? [] : [manifest]), ...hooks.map((hook) => hook.manifest)];
  const others = (await Promise.all(manifests.map(read))).flat();
  for (const { object } of [...others, ...crds.flatMap((file) => file.objects)]) {
    const { apiVersion, kind, metadata } = object;
    await requireOne({ apiVersion, kind, namespace, ...nameOf(metadata) }, object);
  }
}

function nameOf({ name, namespace }: { name: string; namespace?: string }) {
  return namespace === undefined || namespace === '' ? { name } : { name, namespace };
}
