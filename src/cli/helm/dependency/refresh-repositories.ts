import type { RepositoryEntry } from '../../../source/configuration/repositories-file.ts';
import type { HelmContext } from '../context.ts';
import { updateIndexes } from '../download/update-indexes.ts';

/** Downloads the indexes of all repositories that were added. Failures are only printed. */
export async function refreshRepositories(
  repositories: readonly RepositoryEntry[],
  context: HelmContext,
): Promise<void> {
  if (repositories.length === 0) return;
  context.stdout.write('Hang tight while we grab the latest from your chart repositories...\n');
  await updateIndexes(repositories, context);
  context.stdout.write('Update Complete. ⎈Happy Helming!⎈\n');
}
