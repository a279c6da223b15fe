import type { KubeObject } from '../../objects/object.ts';
import type { ObjectTarget } from '../../objects/object-target.ts';
import type { Hook } from '../../release/hook.ts';
import type { CrdManifest } from '../../render/release-renderer.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import type { OperationContext } from '../context.ts';

/** The changes that an operation is about to make. */
export interface IntendedChanges {
  /** Objects to apply. */
  objects?: readonly Pick<ReleaseObject, 'ref' | 'object'>[];
  /** Objects to delete. */
  removed?: readonly Pick<ReleaseObject, 'ref' | 'object'>[];
  /** A manifest that is not resolved yet, to apply. */
  manifest?: string;
  /** A manifest that is not resolved yet, to delete. */
  removedManifest?: string;
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
  {
    objects = [],
    removed = [],
    manifest = '',
    removedManifest = '',
    hooks = [],
    crds = [],
    namespace,
  }: IntendedChanges,
  signal: AbortSignal,
): Promise<void> {
  if (policy === undefined) return;
  const changeOf = ({ object }: { object: KubeObject }): Change => {
    const { apiVersion, kind, metadata } = object;
    return { ref: { apiVersion, kind, namespace, ...nameOf(metadata) }, object };
  };
  const read = async (text: string) => {
    if (text === '') return [];
    const found = await renderer.readObjects(text, '', signal).catch(() => []);
    signal.throwIfAborted();
    return found.map(changeOf);
  };
  const texts = [manifest, ...hooks.map((hook) => hook.manifest)];
  const [others, deleted] = await Promise.all([Promise.all(texts.map(read)), read(removedManifest)]);
  const written: Change[] = [...objects, ...others.flat(), ...crds.flatMap((file) => file.objects).map(changeOf)];
  policy.requireObjects(written);
  const all = [...written, ...removed, ...deleted];
  for (const { ref, object } of all) policy.requireChange(ref, object);
  await policy.conditions?.requireObjects(all.map(({ object }) => object));
}

interface Change {
  ref: ObjectTarget;
  object: KubeObject;
}

function nameOf({ name, namespace }: { name: string; namespace?: string }) {
  return namespace === undefined || namespace === '' ? { name } : { name, namespace };
}
