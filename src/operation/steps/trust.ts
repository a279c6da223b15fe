import type { Release } from '../../release/release.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';

/** A revision, and whether the agent has written it. */
type TrustedRevision = Pick<StoredRevision, 'isOwn'> & { release: Pick<Release, 'name' | 'version'> };

/** Whether an operation may run the hooks and apply the manifest of a stored revision. */
export function isTrusted(
  { trustReleases = 'any' }: Pick<OperationContext, 'trustReleases'>,
  { isOwn = false }: Pick<StoredRevision, 'isOwn'>,
): boolean {
  return trustReleases === 'any' || isOwn;
}

/**
 * Throws `release_not_trusted` unless {@link isTrusted}. `use` says what is not done with the
 * revision, and `solution` what else the user can do.
 */
export function requireTrusted(
  context: Pick<OperationContext, 'trustReleases'>,
  revision: TrustedRevision,
  use: string,
  solution?: string,
): void {
  if (isTrusted(context, revision)) return;
  const { name, version } = revision.release;
  const choices = [...(solution === undefined ? [] : [solution]), 'start the agent with --trust-releases any'];
  throw new OperationError(
    'release_not_trusted',
    `the agent has not written revision ${version} of release ${name} as it is stored, so its ${use}; ${choices.join(', or ')}`,
  );
}
