import { flagUsages, isShown } from '../pflag/flag-usages.ts';
import type { Flag } from '../pflag/flag.ts';
import type { FoundCommand } from './command.ts';

const minNameWidth = 11;

/** The flags of a command, by where they are defined. */
export interface CommandFlags {
  local: readonly Flag[];
  /** Those of the commands above it. */
  inherited: readonly Flag[];
}

/** Returns the help text of a command. */
export function helpText<Context>(found: FoundCommand<Context>, flags: CommandFlags): string {
  const about = (found.command.long ?? found.entry.short).trimEnd();
  const hasUsage = found.command.run !== undefined || found.command.subcommands !== undefined;
  return `${about === '' ? '' : `${about}\n\n`}${hasUsage ? usageText(found, flags) : ''}`;
}

/** Returns how a command is called, its subcommands and its flags. */
export function usageText<Context>(found: FoundCommand<Context>, { local, inherited }: CommandFlags): string {
  const { command, entry, path } = found;
  const { aliases = [] } = entry;
  const list = (command.subcommands ?? []).filter(({ isHidden }) => isHidden !== true);
  const subcommands = list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const width = Math.max(minNameWidth, ...(command.subcommands ?? []).map(({ name }) => name.length));
  return [
    'Usage:',
    ...(command.run === undefined ? [] : [`\n  ${useLine(found)}`]),
    ...(subcommands.length === 0 ? [] : [`\n  ${path} [command]`]),
    ...(aliases.length === 0 ? [] : [`\n\nAliases:\n  ${[entry.name, ...aliases].join(', ')}`]),
    ...(subcommands.length === 0 ? [] : ['\n\nAvailable Commands:']),
    ...subcommands.map(({ name, short }) => `\n  ${name.padEnd(width)} ${short}`),
    ...(local.some(isShown) ? [`\n\nFlags:\n${flagUsages(local).trimEnd()}`] : []),
    ...(inherited.some(isShown) ? [`\n\nGlobal Flags:\n${flagUsages(inherited).trimEnd()}`] : []),
    ...(subcommands.length === 0 ? [] : [`\n\nUse "${path} [command] --help" for more information about a command.`]),
    '\n',
  ].join('');
}

/** Returns the line that shows how a command is called: `helm list [flags]`. */
export function useLine<Context>({ command: { use }, path }: FoundCommand<Context>): string {
  const above = path.split(' ').slice(0, -1);
  const line = [...above, use].join(' ');
  return line.includes('[flags]') ? line : `${line} [flags]`;
}
