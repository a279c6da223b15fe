import type { Command } from 'commander';
import { addRepositoryOptions, addValueOptions, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readPassword } from '../password-file.ts';
import { valueParameters, type ValueFlags } from '../values.ts';
import {
  addApplyOptions,
  addCrdOptions,
  applyParameters,
  crdParameters,
  type ApplyFlags,
  type CrdFlags,
} from './apply-options.ts';
import { historyLimitOf, isDryRun } from './helm-values.ts';
import { integer } from './integer.ts';
import { optionalOutputOption, type OutputFormat } from './output/format.ts';

/** The flags of `install` and `upgrade`. The agent chooses the defaults. */
export interface DeployFlags extends ValueFlags, RepositoryFlags, ApplyFlags, CrdFlags {
  [flag: string]: unknown;
  namespace?: string;
  timeout?: string;
  atomic?: boolean;
  wait?: boolean;
  waitForJobs?: boolean;
  createNamespace?: boolean;
  description?: string;
  cleanupOnFail?: boolean;
  historyMax?: number;
  hooks: boolean;
  dryRun?: boolean | string;
  output?: OutputFormat;
}

/** Whether a dry run is asked for. Throws an error for one without the cluster. */
export function isServerDryRun({ dryRun }: Pick<DeployFlags, 'dryRun'>): boolean {
  if (!isDryRun(dryRun)) return false;
  if (dryRun === 'server') return true;
  throw new Error('an agent always uses its cluster: use --dry-run=server, or helm-agent template without a cluster');
}

/** Switches that are on by default. Each has a second flag that turns it off. */
const switches: [name: string, on: string, off: string][] = [
  ['atomic', 'undo a failed operation (default)', 'leave a failed release as it is'],
  ['wait', 'wait until all resources are ready (default)', 'do not wait'],
  ['wait-for-jobs', 'also wait until Jobs have completed (default)', 'do not wait for Jobs'],
  ['create-namespace', 'create the namespace if it does not exist (default)', 'do not create the namespace'],
];

/** Adds the flags that `install` and `upgrade` have in common. */
export function addDeployOptions(command: Command): void {
  addRepositoryOptions(command, 'a URL, or a path on the agent');
  addValueOptions(command);
  command
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .option('--description <text>', 'description of the revision, for the history of the release')
    .option('--cleanup-on-fail', 'delete the objects that a failed upgrade has created')
    .option('--history-max <number>', 'number of revisions to keep; 0 for all (default: 10)', integer)
    .option('--no-hooks', 'do not run hooks')
    .option('--dry-run [mode]', 'server: print what would be deployed, and change nothing; none turns it off')
    .addOption(optionalOutputOption());
  addApplyOptions(command);
  addCrdOptions(command);
  command.option('--take-ownership', 'take over existing objects that do not belong to the release');
  addSwitches(
    command,
    switches.map(([name]) => name),
  );
}

/** Adds the named switches. */
export function addSwitches(command: Command, names: readonly string[]): void {
  for (const [name, on, off] of switches) {
    if (names.includes(name)) command.option(`--${name}`, on).option(`--no-${name}`, off);
  }
}

/** Returns the parameters that name a chart. */
export async function repositoryParameters(
  chartName: string,
  { repo, version, username, passwordFile }: RepositoryFlags,
  dependencies: Pick<ProgramDependencies, 'readFile'>,
) {
  return {
    chartName,
    repoUrl: repo,
    chartVersion: version,
    repoUserName: username,
    repoPassword: passwordFile === undefined ? undefined : await readPassword(dependencies, passwordFile),
  };
}

/** Returns the parameters that flags and arguments set. Errors about values have Helm's texts. */
export async function deployParameters(
  releaseName: string,
  chartName: string,
  flags: DeployFlags,
  dependencies: Pick<ProgramDependencies, 'readFile'>,
) {
  const { namespace, timeout, atomic, wait, waitForJobs, createNamespace, description, cleanupOnFail, historyMax } =
    flags;
  return {
    releaseName,
    namespace,
    ...(await repositoryParameters(chartName, flags, dependencies)),
    timeout,
    atomic,
    wait,
    waitForJobs,
    createNamespace,
    description,
    cleanupOnFail,
    historyLimit: historyLimitOf(historyMax),
    ...applyParameters(flags),
    ...crdParameters(flags),
    ...(!flags.hooks && { noHooks: true }),
    ...(isServerDryRun(flags) && { dryRun: true }),
    ...(await valueParameters(flags, (path) => dependencies.readFile(path))),
  };
}
