import { join, normalize } from 'node:path';
import {
  buildDependencies,
  type DependencyOptions,
  dependencyStatuses,
  updateDependencies,
  type VerificationStrategy,
  warnAboutOthers,
} from '../../../downloader/index.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { helmTable } from '../../ctl/output/helm-table.ts';
import { type Flag, switchFlag, textFlag, unsignedFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { connectionFlags, connectionOfFlags } from '../flags/connection-flags.ts';
import { defaultKeyring } from '../settings.ts';

/** Returns the flags that update and build have in common (pkg/cmd/dependency.go). */
function dependencyFlags({ env }: Pick<HelmContext, 'env'>): Flag[] {
  return [
    switchFlag('verify', 'check the signatures of the charts'),
    textFlag('keyring', 'file with the keys for --verify', { initial: defaultKeyring(env) }),
    switchFlag('skip-refresh', 'do not download the indexes of the repositories again'),
    ...connectionFlags(),
  ];
}

/**
 * Returns what the flags of {@link dependencyFlags} set. `--verify` selects the command's strategy.
 */
function dependencyOptions(flags: FlagValues, strategy: VerificationStrategy): DependencyOptions {
  return {
    ...connectionOfFlags(flags),
    skipRefresh: flags.isOn('skip-refresh'),
    ...(flags.isOn('verify') && { verification: { strategy, keyring: flags.text('keyring') } }),
  };
}

/** `helm dependency update` (pkg/cmd/dependency_update.go) */
const dependencyUpdateCommand: Command<HelmContext> = {
  use: 'update CHART',
  long: `Download the newest dependencies that the ranges in Chart.yaml allow, write
Chart.lock, and remove older archives of them.`,
  examples: ['./web', './web --skip-refresh'],
  checkArguments: argumentCount('at most', 1),
  flags: dependencyFlags,
  async run({ args: [path = '.'], flags, context }) {
    await updateDependencies(normalize(path), dependencyOptions(flags, 'always'), context);
  },
};

/** `helm dependency build` (pkg/cmd/dependency_build.go) */
const dependencyBuildCommand: Command<HelmContext> = {
  use: 'build CHART',
  long: `Download the dependencies in exactly the versions of Chart.lock. Without that file,
do the same as "dependency update".`,
  examples: ['./web'],
  checkArguments: argumentCount('at most', 1),
  flags: dependencyFlags,
  async run({ args: [path = '.'], flags, context }) {
    await buildDependencies(normalize(path), dependencyOptions(flags, 'if possible'), context);
  },
};

/** `helm dependency list` (pkg/cmd/dependency.go) */
const dependencyListCommand: Command<HelmContext> = {
  use: 'list CHART',
  long: 'List the dependencies of a chart, and whether charts/ contains them.',
  examples: ['./web'],
  checkArguments: argumentCount('at most', 1),
  flags: () => [unsignedFlag('max-col-width', 'largest width of a column; 0 for any', { initial: 80 })],
  async run({ args: [given = '.'], flags, context: { stdout, log } }) {
    const path = normalize(given);
    const dependencies = await dependencyStatuses(path, log.notice);
    if (dependencies === undefined) {
      stdout.write(`WARNING: no dependencies at ${join(path, 'charts')}\n`);
      return;
    }
    const rows = dependencies.map(({ name, version, repository, status }) => [name, version, repository, status]);
    const table = helmTable(
      [['NAME', 'VERSION', 'REPOSITORY', 'STATUS'], ...rows],
      flags.integer('max-col-width') || Infinity,
    );
    stdout.write(`${table}\n`);
    const names = new Set(dependencies.map(({ name }) => name));
    await warnAboutOthers(path, names, log.notice, (line) => stdout.write(line));
  },
};

/** `helm dependency` */
export const dependencyCommand: Command<HelmContext> = {
  use: 'dependency update|build|list',
  long: `Manage the dependencies of a chart: the charts that its Chart.yaml lists, and that
its folder charts/ contains.

    dependencies:
      - name: redis
        version: ^19.0.0
        repository: oci://registry.example/charts

A repository is a URL of https://, oci:// or file://, or "@NAME" for one that
"repo add" has added.`,
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'list',
      short: 'list the dependencies of a chart',
      aliases: ['ls'],
      load: () => Promise.resolve(dependencyListCommand),
    },
    {
      name: 'update',
      short: 'download the dependencies that Chart.yaml lists',
      aliases: ['up'],
      load: () => Promise.resolve(dependencyUpdateCommand),
    },
    {
      name: 'build',
      short: 'download the dependencies of Chart.lock',
      load: () => Promise.resolve(dependencyBuildCommand),
    },
  ],
};
