import { readRepositoriesFile } from '../../../source/configuration/repositories-file.ts';
import { localChart } from '../../locate-chart.ts';
import type { HelmContext } from '../context.ts';
import type { ChartPathOptions } from '../flags/chart-path-flags.ts';

/** The fields of a command that say where an agent finds the chart. */
export interface ChartReference {
  chartName: string;
  chartVersion?: string | undefined;
  repoUrl?: string | undefined;
  repoUserName?: string | undefined;
  repoPassword?: string | undefined;
}

/**
 * Returns where an agent finds a chart of a repository or a registry. Undefined for a chart of this
 * machine.
 */
export async function chartReference(
  given: string,
  { repo, version, username, password }: ChartPathOptions,
  { settings }: HelmContext,
): Promise<ChartReference | undefined> {
  const name = given.trim();
  const fields = {
    chartVersion: version.trim() || undefined,
    repoUserName: username || undefined,
    repoPassword: password || undefined,
  };
  if (repo !== '') return { chartName: name, repoUrl: repo, ...fields };
  if ((await localChart(name)) !== undefined) return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return { chartName: name, ...fields };
  const [repository = '', ...rest] = name.split('/');
  if (rest.length === 0) {
    throw new Error(`non-absolute URLs should be in form of repo_name/path_to_chart, got: ${name}`);
  }
  const file = await readRepositoriesFile(settings.repositoryConfig);
  const entry = file?.repositories.find((each) => each.name === repository);
  if (entry === undefined) throw new Error(`repo ${repository} not found`);
  return {
    chartName: rest.join('/'),
    repoUrl: entry.url,
    ...fields,
    ...(entry.username !== '' && { repoUserName: entry.username, repoPassword: entry.password }),
  };
}
