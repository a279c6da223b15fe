import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import { type Completion, directives, withoutFiles } from '../../completion/candidate.ts';
import type { HelmContext } from '../context.ts';
import { withReleases } from '../release/with-releases.ts';

type ListedRelease = CommandAnswers['list_releases']['releases'][number];

/** Completes the name of a release, with any status (pkg/cmd/list.go: compListReleases). */
export async function releaseCompletion(given: readonly string[], context: HelmContext): Promise<Completion> {
  const namespace = await context.namespace();
  return await orNothing(async () => {
    const { releases } = await withReleases(context, (all) => all.perform('list_releases', { namespace }));
    return releases
      .filter(({ name }) => !given.includes(name))
      .map(({ name, chart, info }) => ({ name, description: `${chartText(chart)} -> ${info.status}` }));
  });
}

/** Completes a revision of a release (pkg/cmd/history.go: compListRevisions). */
export async function revisionCompletion(releaseName: string, context: HelmContext): Promise<Completion> {
  const namespace = await context.namespace();
  return await orNothing(async () => {
    const { releases } = await withReleases(context, (all) =>
      all.perform('release_history', { namespace, releaseName }),
    );
    return releases.map(({ version, chart }) => ({
      name: String(version),
      description: `App: ${chart?.metadata?.appVersion ?? ''}, Chart: ${chartText(chart)}`,
    }));
  });
}

/** A shell offers nothing if the cluster does not respond; a message would disturb the line. */
async function orNothing(candidates: () => Promise<Completion['candidates']>): Promise<Completion> {
  try {
    return withoutFiles(await candidates());
  } catch {
    return { candidates: [], directive: directives.default };
  }
}

function chartText(chart: ListedRelease['chart']): string {
  const { name = '', version = '' } = chart?.metadata ?? {};
  return `${name}-${version}`;
}
