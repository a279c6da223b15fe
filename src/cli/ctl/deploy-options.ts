import type { Command } from 'commander';
import { addRepositoryOptions, addValueOptions, type RepositoryFlags } from '../chart-options.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import type { ValueFlags } from '../values.ts';
import { mergeValues } from './values.ts';

/** The flags of `install` and `upgrade`; absent ones leave it to the agent. */
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

/** Two flags for a switch that is on by default, where saying so shall be possible. */
const onByDefault: [name: string, description: string, opposite: string][] = [
  ['atomic', 'undo what was done where it fails (the default)', 'leave a failed release as it is'],
  ['wait', 'wait until all resources are ready (the default)', 'do not wait'],
  ['wait-for-jobs', 'wait until Jobs have completed, too (the default)', 'do not wait for Jobs'],
  ['create-namespace', 'create the namespace where there is none (the default)', 'do not create the namespace'],
];

export function addDeployOptions(command: Command): void {
  addRepositoryOptions(command, 'a path that the agent allows');
  addValueOptions(command);
  command
    .option('--timeout <duration>', 'how long it may take; 5m where absent')
    .option('--description <text>', 'stands in the history of the release');
  for (const [name, description, opposite] of onByDefault) {
    command.option(`--${name}`, description).option(`--no-${name}`, opposite);
  }
}

export async function chartOf(
  chartName: string,
  { repo, version, username, passwordFile }: DeployFlags,
  readSecret: (path: string) => Promise<string>,
) {
  return {
    chartName,
    repoUrl: repo,
    chartVersion: version,
    repoUserName: username,
    repoPassword: passwordFile === undefined ? undefined : await readSecret(passwordFile),
  };
}

export async function deployOf(flags: DeployFlags, { readFile }: Pick<ProgramDependencies, 'readFile'>) {
  const { namespace, timeout, atomic, wait, waitForJobs, createNamespace, description } = flags;
  const { values, set, setString, setJson, setFile, setLiteral } = flags;
  const given = { values, set, setString, setJson, setFile, setLiteral };
  return {
    namespace,
    timeout,
    atomic,
    wait,
    waitForJobs,
    createNamespace,
    description,
    values: await mergeValues(given, readFile),
  };
}
