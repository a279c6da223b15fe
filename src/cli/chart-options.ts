import { Option, type Command } from 'commander';
import { commaList } from './comma-list.ts';

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const collectListed = (value: string, before: string[] | undefined) => [...(before ?? []), ...commaList(value)];

/** Returns an option that may be given more than once. */
export function repeated(flag: string, description: string): Option {
  return new Option(flag, `${description}; may be repeated`).argParser(collect);
}

/**
 * Returns an option that may be given more than once, and with several values separated by commas.
 */
export function listed(flag: string, description: string): Option {
  return new Option(flag, `${description}; may be repeated or separated by commas`).argParser(collectListed);
}

/** Flags that name the source of a chart. */
export interface RepositoryFlags {
  repo?: string | undefined;
  version?: string | undefined;
  devel?: boolean | undefined;
  username?: string | undefined;
  passwordFile?: string | undefined;
  /** Name of a Secret of the agent, for `ctl`. */
  credentialsFrom?: string | undefined;
}

/**
 * Adds the flags of a chart repository. `withoutRepository` describes the chart argument without
 * --repo.
 */
export function addRepositoryOptions(command: Command, withoutRepository: string): void {
  command
    .option('--repo <url>', `URL of the chart's HTTP repository; without it, the chart is ${withoutRepository}`)
    .option('--version <version>', 'version of the chart, or a range of versions (default: the newest)')
    .option('--username <name>', 'user name for the repository')
    .option('--password-file <file>', 'file with the password for the repository');
}

/** Adds Helm's flags for values. */
export function addValueOptions(command: Command): void {
  command
    .addOption(listed('-f, --values <file>', 'file with values, - for stdin; the last one wins'))
    .addOption(repeated('--set <assignments>', 'set values: a=1,b.c=x'))
    .addOption(repeated('--set-string <assignments>', 'set values as strings'))
    .addOption(repeated('--set-json <assignments>', 'set values as JSON'))
    .addOption(repeated('--set-file <assignments>', 'set values to the contents of files'))
    .addOption(repeated('--set-literal <assignment>', 'set one value literally, without parsing it'));
}
