import type { Hook } from '../../release/hook.ts';
import type { OperationContext } from '../context.ts';

/** The texts of a release, rendered or stored. */
interface Manifests {
  manifest: string;
  hooks?: Hook[];
}

/**
 * Returns a rendered or stored release with the images of mirrors and the pull secrets that the
 * policy of the owner of the cluster gives its pods. Without such a policy, nothing is read.
 */
export async function withImageRules<Release extends Manifests>(
  { policy, renderer }: Pick<OperationContext, 'policy' | 'renderer'>,
  release: Release,
  namespace: string,
  signal: AbortSignal,
): Promise<Release> {
  const rules = policy?.imageRules?.(namespace);
  if (rules === undefined) return release;
  const { manifest: text, hooks } = release;
  const texts = [text, ...(hooks ?? []).map((hook) => hook.manifest)];
  const [manifest = text, ...others] = await renderer.rewriteImages(texts, rules, signal);
  const changed = hooks?.map((hook, index) => ({ ...hook, manifest: others[index] ?? hook.manifest }));
  return { ...release, manifest, ...(changed && { hooks: changed }) };
}
