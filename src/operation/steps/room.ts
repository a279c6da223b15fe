import type { RenderedRelease } from '../../render/release-renderer.ts';
import type { DeployOptions } from '../request.ts';
import { revisionOf, type OperationState } from '../state/operation-state.ts';
import type { Work } from '../work.ts';
import { newRevision } from './revision.ts';

/** Throws `release_too_large`, before anything changes, if the revision cannot be stored. */
export async function requireRoom(
  state: OperationState,
  { context, request }: Work<Pick<DeployOptions, 'storage'>>,
  rendered: RenderedRelease,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, releaseName: name } = state;
  const { version, apply } = revisionOf(state);
  const release = newRevision({ name, namespace, version }, { status: 'pending-upgrade' }, rendered, apply.method);
  await context.storage.requireRoom(release, { chunked: request.storage === 'chunked' }, signal);
}
