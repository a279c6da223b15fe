import { messageOf } from '../../errors/index.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { Hook } from '../../release/hook.ts';
import type { CrdManifest, ManifestObject } from '../../render/release-renderer.ts';
import type { OperationContext } from '../context.ts';
import { addedObject, changedObject, difference, type ObjectDifference } from '../diff/object-changes.ts';

/**
 * Returns how hooks differ from those of the revision before, which shows their images and
 * commands. A hook that cannot be read is `unknown`: it fails when it runs. Values of Secrets are
 * not masked.
 */
export async function hookDifferences(
  context: OperationContext,
  hooks: readonly Hook[],
  before: readonly Hook[],
): Promise<ObjectDifference[]> {
  const known = new Map(before.map((hook) => [keyOf(hook), hook]));
  const differences: ObjectDifference[] = [];
  for (const hook of hooks) {
    const old = known.get(keyOf(hook));
    if (old?.manifest === hook.manifest) continue;
    try {
      const oldObjects = old === undefined ? [] : await objectsOf(context, old).catch(() => []);
      const objects = await objectsOf(context, hook);
      for (const [index, { object }] of objects.entries()) {
        const ref = refOf({ object });
        const was = oldObjects[index]?.object;
        const found = was === undefined ? addedObject(ref, object) : changedObject(ref, was, object);
        if (found) differences.push(found);
      }
    } catch (error) {
      context.signal.throwIfAborted();
      const ref = { apiVersion: '', kind: hook.kind, name: hook.name };
      differences.push(difference('unknown', ref, { reason: messageOf(error) }));
    }
  }
  return differences;
}

/** Returns how the CRDs of a chart differ from those of the cluster, in fields that they set. */
export async function crdDifferences(
  { cluster, signal }: OperationContext,
  files: readonly CrdManifest[],
): Promise<ObjectDifference[]> {
  const differences: ObjectDifference[] = [];
  for (const { object } of files.flatMap(({ objects }) => objects)) {
    const ref = refOf({ object });
    const live = await cluster.get(ref, signal);
    if (live === undefined) {
      differences.push(addedObject(ref, object));
      continue;
    }
    const fields = changedObject(ref, live, object)?.fields?.filter(({ after }) => after !== undefined) ?? [];
    if (fields.length > 0) differences.push(difference('changed', ref, { fields }));
  }
  return differences;
}

function objectsOf({ renderer, signal }: OperationContext, { manifest, path }: Hook) {
  return renderer.readObjects(manifest, `unable to build kubernetes object for hook ${path}`, signal);
}

function refOf({ object }: Pick<ManifestObject, 'object'>): ObjectRef {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

function keyOf({ kind, name, path }: Hook): string {
  return JSON.stringify([kind, name, path]);
}
