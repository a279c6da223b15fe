import { messageOf } from '../../../errors/index.ts';
import { quote } from '../../../go/strconv.ts';
import type { RepositoryEntry } from '../../../source/configuration/repositories-file.ts';
import type { HelmContext } from '../context.ts';
import { updateIndex } from './repository-index.ts';

/** Prefix of the names of repositories that were not added: those of dependencies. */
export const unmanagedPrefix = 'helm-manager-';

/**
 * Downloads the indexes of repositories at the same time and prints the result of each. Returns the
 * URLs of those that failed.
 */
export async function updateIndexes(
  repositories: readonly RepositoryEntry[],
  context: HelmContext,
  timeoutMs?: number,
): Promise<string[]> {
  const { signal } = new AbortController();
  const failed = await Promise.all(
    repositories.map(async (entry) => {
      const isNamed = !entry.name.startsWith(unmanagedPrefix);
      const repository = `the ${quote(isNamed ? entry.name : entry.url)} chart repository`;
      try {
        await updateIndex(entry, context, signal, timeoutMs);
        context.stdout.write(`...Successfully got an update from ${repository}\n`);
        return [];
      } catch (error) {
        const reason = messageOf(error);
        const place = isNamed ? ` (${entry.url})` : '';
        context.stdout.write(`...Unable to get an update from ${repository}${place}:\n\t${reason}\n`);
        return [entry.url];
      }
    }),
  );
  return failed.flat();
}
