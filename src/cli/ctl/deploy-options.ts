import type { Command } from 'commander';
import { addRepositoryOptions, addValueOptions, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readPassword } from '../password-file.ts';
import type { ValueFlags } from '../values.ts';
import { mergeValues } from './values.ts';

/** The flags of `install` and `upgrade`. The agent chooses the defaults. */
export interface DeployFlags extends ValueFlags, RepositoryFlags {
  [flag: string]: unknown;
  namespace?: string;
  timeout?: string;
  atomic?: boolean;
  wait?: boolean;
  waitForJobs?: boolean;
  createNamespace?: boolean;
  description?: string;
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
    .option('--description <text>', 'description of the revision, for the history of the release');
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

/** Returns the parameters that flags and arguments set. Errors about values have Helm's texts. */
export async function deployParameters(
  releaseName: string,
  chartName: string,
  flags: DeployFlags,
  dependencies: Pick<ProgramDependencies, 'readFile'>,
) {
  const { namespace, repo, version, username, passwordFile } = flags;
  const { timeout, atomic, wait, waitForJobs, createNamespace, description } = flags;
  return {
    releaseName,
    namespace,
    chartName,
    repoUrl: repo,
    chartVersion: version,
    repoUserName: username,
    repoPassword: passwordFile === undefined ? undefined : await readPassword(dependencies, passwordFile),
    timeout,
    atomic,
    wait,
    waitForJobs,
    createNamespace,
    description,
    values: await mergeValues(flags, (path) => dependencies.readFile(path)),
  };
}
