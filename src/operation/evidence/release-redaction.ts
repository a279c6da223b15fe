import { isJsonObject } from '../../objects/fields.ts';
import type { OperationState } from '../state/operation-state.ts';
import { ownRevision, type Work } from '../work.ts';
import { redactionOf, type Redact } from './redaction.ts';

/** Returns a function that replaces the secrets of the revision that an operation deploys. */
export async function redactionOfRelease(
  state: OperationState,
  work: Work<unknown>,
  signal: AbortSignal,
): Promise<Redact> {
  const { release } = await ownRevision(work, state, signal);
  const hooks = (release.hooks ?? []).map(({ manifest }) => manifest);
  const manifest = [release.manifest, ...hooks].join('\n---\n');
  const objects = await work.context.renderer.readObjects(manifest, 'unable to read the manifest', signal);
  return redactionOf(objects.map(({ object }) => object).filter(isJsonObject));
}
