import { Option, type Command } from 'commander';

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

/** A flag that may be given more than once. */
export function repeated(flag: string, description: string): Option {
  return new Option(flag, `${description}; may be repeated`).argParser(collect);
}

/** Where a chart comes from. */
export interface RepositoryFlags {
  repo?: string | undefined;
  version?: string | undefined;
  username?: string | undefined;
  passwordFile?: string | undefined;
}

/** `withoutRepository` says what the chart is where no repository is given. */
export function addRepositoryOptions(command: Command, withoutRepository: string): void {
  command
    .option('--repo <url>', `the HTTP repository of the chart; without it, the chart is ${withoutRepository}`)
    .option('--version <version>', 'a version or a range; the newest where absent')
    .option('--username <name>', 'for the repository')
    .option('--password-file <file>', 'a file with the password for the repository');
}

export function addValueOptions(command: Command): void {
  command
    .addOption(repeated('-f, --values <file>', 'a file of values, of which the last wins'))
    .addOption(repeated('--set <assignments>', 'values as a=1,b.c=x'))
    .addOption(repeated('--set-string <assignments>', 'values that are text'))
    .addOption(repeated('--set-json <assignments>', 'values in JSON'))
    .addOption(repeated('--set-file <assignments>', 'values out of files'))
    .addOption(repeated('--set-literal <assignment>', 'one value, taken as it stands'));
}
