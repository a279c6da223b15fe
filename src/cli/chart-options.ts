import { Option, type Command } from 'commander';
import { commaList } from './comma-list.ts';

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const collectListed = (value: string, before: string[] | undefined) => [...(before ?? []), ...commaList(value)];

/** A flag that may be given more than once. */
export function repeated(flag: string, description: string): Option {
  return new Option(flag, `${description}; may be repeated`).argParser(collect);
}

/** A flag that may be given more than once, and with several values with commas between. */
export function listed(flag: string, description: string): Option {
  return new Option(flag, `${description}; may be repeated, or with commas between`).argParser(collectListed);
}

/** Where a chart comes from. */
export interface RepositoryFlags {
  repo?: string | undefined;
  version?: string | undefined;
  devel?: boolean | undefined;
  username?: string | undefined;
  passwordFile?: string | undefined;
  passCredentials?: boolean | undefined;
  plainHttp?: boolean | undefined;
}

/** What `template` and `show` take to find a chart on this machine or elsewhere. */
export function addChartOptions(command: Command): void {
  addRepositoryOptions(command, 'a path or a URL');
  command
    .option('--devel', "pre-releases, too; as --version '>0.0.0-0'")
    .option('--pass-credentials', 'send them to other hosts, too, where the repository leads there')
    .option('--plain-http', 'ask the registry of an oci:// address without TLS');
}

/** `withoutRepository` says what the chart is where no repository is given. */
export function addRepositoryOptions(command: Command, withoutRepository: string): void {
  command
    .option('--repo <url>', `the HTTP repository of the chart; without it, the chart is ${withoutRepository}`)
    .option('--version <version>', 'a version or a range; the newest where absent')
    .option('--username <name>', 'for the repository')
    .option('--password-file <file>', 'a file with the password for the repository');
}

export function addValueOptions(
  command: Command,
  valuesFile = 'a file of values, of which the last wins; - for stdin',
): void {
  command
    .addOption(listed('-f, --values <file>', valuesFile))
    .addOption(repeated('--set <assignments>', 'values as a=1,b.c=x'))
    .addOption(repeated('--set-string <assignments>', 'values that are text'))
    .addOption(repeated('--set-json <assignments>', 'values in JSON'))
    .addOption(repeated('--set-file <assignments>', 'values out of files'))
    .addOption(repeated('--set-literal <assignment>', 'one value, taken as it stands'));
}
