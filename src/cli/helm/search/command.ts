import { indexPath, readCachedIndex, readIndexText } from '../../../downloader/index.ts';
import { messageOf } from '../../../errors/index.ts';
import { type Constraint, parseConstraint, satisfies } from '../../../go/semver-constraint.ts';
import { GoError } from '../../../go/value.ts';
import { readRepositoriesFile } from '../../../source/configuration/repositories-file.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag, unsignedFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { missingCommand } from '../missing-command.ts';
import { printRows } from '../print-rows.ts';
import { type SearchableChart, searchCharts, type SearchResult } from './search-charts.ts';

const headings = ['NAME', 'CHART VERSION', 'APP VERSION', 'DESCRIPTION'];

/** `helm search repo` (pkg/cmd/search_repo.go) */
export const searchRepoCommand: Command<HelmContext> = {
  use: 'repo [keyword]',
  long: `Search the repositories that "repo add" has added, in the indexes that "repo update"
has downloaded. Shows the newest version of each chart.`,
  examples: ['nginx', 'nginx --devel', 'nginx --version ^1.0.0 --versions'],
  flags: () => [
    switchFlag('regexp', 'the keyword is a regular expression', { shorthand: 'r' }),
    switchFlag('versions', 'show all versions', { shorthand: 'l' }),
    switchFlag('devel', "include pre-releases; the same as --version '>0.0.0-0'"),
    textFlag('version', 'show only versions in this range'),
    unsignedFlag('max-col-width', 'largest width of a column; 0 for any', { initial: 50 }),
    switchFlag('fail-on-no-result', 'fail if nothing is found'),
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
      const index = await readIndexText(await readCachedIndex(repository, context), indexPath(repository, context));
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

/** `helm search` */
export const searchCommand: Command<HelmContext> = {
  use: 'search [keyword]',
  long: 'Search for charts.',
  subcommands: [
    {
      name: 'hub',
      short: 'not available: search the Artifact Hub',
      load: () => Promise.resolve(missingCommand('hub', 'use helm for it')),
    },
    {
      name: 'repo',
      short: 'search the repositories that repo add has added',
      load: () => Promise.resolve(searchRepoCommand),
    },
  ],
};
