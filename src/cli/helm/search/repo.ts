import { parseConstraint, satisfies, type Constraint } from '../../../go/semver-constraint.ts';
import { GoError } from '../../../go/value.ts';
import { readRepositoriesFile } from '../../../source/configuration/repositories-file.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag, unsignedFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { readCachedIndex, readIndexText, indexPath } from '../download/repository-index.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { printRows } from '../print-rows.ts';
import { searchCharts, type SearchableChart, type SearchResult } from './search-charts.ts';
import { messageOf } from '../../../operation/error.ts';

const headings = ['NAME', 'CHART VERSION', 'APP VERSION', 'DESCRIPTION'];

/** `helm search repo` (pkg/cmd/search_repo.go) */
export const searchRepoCommand: Command<HelmContext> = {
  use: 'repo [keyword]',
  // prettier-ignore
  long: `
Search reads through all of the repositories configured on the system, and
looks for matches. Search of these repositories uses the metadata stored on
the system.

It will display the latest stable versions of the charts found. If you
specify the --devel flag, the output will include pre-release versions.
If you want to search using a version constraint, use --version.

Examples:

    # Search for stable release versions matching the keyword "nginx"
    $ helm search repo nginx

    # Search for release versions matching the keyword "nginx", including pre-release versions
    $ helm search repo nginx --devel

    # Search for the latest stable release for nginx-ingress with a major version of 1
    $ helm search repo nginx-ingress --version ^1.0.0

Repositories are managed with 'helm repo' commands.
`,
  flags: () => [
    switchFlag('regexp', 'use regular expressions for searching repositories you have added', { shorthand: 'r' }),
    switchFlag(
      'versions',
      'show the long listing, with each version of each chart on its own line, for repositories you have added',
      { shorthand: 'l' },
    ),
    switchFlag(
      'devel',
      "use development versions (alpha, beta, and release candidate releases), too. Equivalent to version '>0.0.0-0'. If --version is set, this is ignored",
    ),
    textFlag('version', 'search using semantic versioning constraints on repositories you have added'),
    unsignedFlag('max-col-width', 'maximum column width for output table', { initial: 50 }),
    switchFlag('fail-on-no-result', 'search fails if no results are found'),
    outputFlag,
  ],
  async run({ args, flags, context }) {
    const charts = await knownCharts(context);
    const found = searchCharts(charts, args.length === 0 ? undefined : args.join(' '), flags.isOn('regexp'));
    const range = flags.text('version') || (flags.isOn('devel') ? '>0.0.0-0' : '>0.0.0');
    const results = matching(found, constraintOf(range), flags.isOn('versions'));
    const format = flags.text('output');
    if (results.length === 0 && flags.isOn('fail-on-no-result')) throw new Error('no results found');
    if (results.length === 0 && format === 'table') {
      context.stdout.write('No results found\n');
      return;
    }
    const rows = results.map(({ chart: { name, version, appVersion, description } }) => {
      return { name, version, app_version: appVersion, description };
    });
    context.stdout.write(printRows(format, rows, { headings, maxWidth: flags.integer('max-col-width') || Infinity }));
  },
};

/** A repository whose index cannot be read is left out with a warning. */
async function knownCharts(context: HelmContext): Promise<SearchableChart[]> {
  const file = await readRepositoriesFile(context.settings.repositoryConfig).catch(() => undefined);
  if (file === undefined || file.repositories.length === 0) throw new Error('no repositories configured');
  const charts: SearchableChart[] = [];
  for (const { name: repository } of file.repositories) {
    try {
      const index = readIndexText(await readCachedIndex(repository, context), indexPath(repository, context));
      for (const chart of index.chartNames) {
        for (const version of index.versionsOf(chart) ?? []) {
          charts.push({ ...version, chart, name: `${repository}/${chart}`, repository });
        }
      }
    } catch (error) {
      const message = messageOf(error);
      context.log.warn('repo is corrupt or missing', { repo: repository, error: message });
    }
  }
  return charts;
}

function constraintOf(range: string): Constraint {
  try {
    return parseConstraint(range);
  } catch (cause) {
    if (!(cause instanceof GoError)) throw cause;
    throw new Error(`an invalid version/constraint format: ${cause.message}`, { cause });
  }
}

/** Returns the results in a range: of each chart only the first one, unless all are wanted. */
function matching(results: readonly SearchResult[], range: Constraint, all: boolean): SearchResult[] {
  const names = new Set<string>();
  return results.filter(({ chart: { name, parts } }) => {
    if (!all && names.has(name)) return false;
    if (!satisfies(parts, range)) return false;
    names.add(name);
    return true;
  });
}
