import { codeOf } from '../../../errors/index.ts';
import type { HelmContext } from '../context.ts';
import { withReleases } from './with-releases.ts';

/**
 * Returns the status of the newest revision of a release, `unknown` if none can be read, or
 * undefined without one.
 */
export async function newestStatus(releaseName: string, context: HelmContext): Promise<string | undefined> {
  const payload = { releaseName, namespace: await context.namespace(), max: 1 };
  try {
    const { releases, unreadable = [] } = await withReleases(context, (all) => all.perform('release_history', payload));
    if (releases.length === 0 && unreadable.length > 0) return 'unknown';
    return releases.at(-1)?.info.status;
  } catch (error) {
    if (codeOf(error) === 'release_not_found') return undefined;
    throw error;
  }
}
