import { Option, type Command } from 'commander';
import type { ProgramDependencies } from '../dependencies.ts';
import { mergeValues, type ValueFlags } from './values.ts';

/** The flags of `install` and `upgrade`; absent ones leave it to the agent. */
export interface DeployFlags extends ValueFlags {
  [flag: string]: unknown;
  namespace?: string;
  repo?: string;
  version?: string;
  username?: string;
  passwordFile?: string;
  timeout?: string;
  atomic?: boolean;
  wait?: boolean;
  waitForJobs?: boolean;
  createNamespace?: boolean;
  description?: string;
}

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

const repeated = (flag: string, description: string) => new Option(flag, description).argParser(collect);

/** Two flags for a switch that is on by default, where saying so shall be possible. */
const onByDefault: [name: string, description: string, opposite: string][] = [
  ['atomic', 'undo what was done where it fails (the default)', 'leave a failed release as it is'],
  ['wait', 'wait until all resources are ready (the default)', 'do not wait'],
  ['wait-for-jobs', 'wait until Jobs have completed, too (the default)', 'do not wait for Jobs'],
  ['create-namespace', 'create the namespace where there is none (the default)', 'do not create the namespace'],
];

export function addDeployOptions(command: Command): void {
  command
    .option('--repo <url>', 'the HTTP repository of the chart; without it, the chart is a path that the agent allows')
    .option('--version <version>', 'a version or a range; the newest where absent')
    .option('--username <name>', 'for the repository')
    .option('--password-file <file>', 'a file with the password for the repository')
    .addOption(repeated('-f, --values <file>', 'a file of values; may be repeated, the last wins'))
    .addOption(repeated('--set <assignments>', 'values as a=1,b.c=x; may be repeated'))
    .addOption(repeated('--set-string <assignments>', 'values that are text; may be repeated'))
    .addOption(repeated('--set-json <assignments>', 'values in JSON; may be repeated'))
    .addOption(repeated('--set-file <assignments>', 'values out of files; may be repeated'))
    .addOption(repeated('--set-literal <assignment>', 'one value, taken as it stands; may be repeated'))
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
