import { codeOf } from '../../../operation/error.ts';
import type { HelmContext } from '../context.ts';
import { withReleases } from './with-releases.ts';

/** Returns the status of the newest revision of a release, or undefined without one. */
export async function newestStatus(releaseName: string, context: HelmContext): Promise<string | undefined> {
  const payload = { releaseName, namespace: await context.namespace(), max: 1 };
  try {
    const { releases } = await withReleases(context, (all) => all.perform('release_history', payload));
    return releases.at(-1)?.info.status;
  } catch (error) {
    if (codeOf(error) === 'release_not_found') return undefined;
    throw error;
  }
}
