import type { HelmContext } from '../context.ts';
import type { Releases } from './releases.ts';

/** Calls a function with the releases of the context, and closes them afterwards. */
export async function withReleases<Result>(
  context: HelmContext,
  use: (releases: Releases) => Promise<Result>,
): Promise<Result> {
  const releases = await context.openReleases();
  try {
    return await use(releases);
  } finally {
    await releases.close();
  }
}

/**
 * Calls a function with a context whose releases are opened once, however often the function opens
 * them, and closes them afterwards.
 */
export function withSharedReleases<Result>(
  context: HelmContext,
  use: (shared: HelmContext) => Promise<Result>,
): Promise<Result> {
  return withReleases(context, (releases) => {
    const opened = { ...releases, close: () => Promise.resolve() };
    return use({ ...context, openReleases: () => Promise.resolve(opened) });
  });
}
