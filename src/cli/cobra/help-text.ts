import { flagUsages, isShown, wrapped } from '../pflag/flag-usages.ts';
import type { FoundCommand } from './command.ts';
import type { CommandFlags } from './command-flags.ts';

const minNameWidth = 11;

/** Returns the help text of a command. */
export function helpText<Context>(found: FoundCommand<Context>, flags: CommandFlags, columns?: number): string {
  const about = (found.command.long ?? sentence(found.entry.short)).trimEnd();
  const hasUsage = found.command.run !== undefined || found.command.subcommands !== undefined;
  return `${about === '' ? '' : `${about}\n\n`}${hasUsage ? usageText(found, flags, columns) : ''}`;
}

function sentence(short: string): string {
  return short === '' ? '' : `${short.charAt(0).toUpperCase()}${short.slice(1)}.`;
}

/** Returns how a command is called, its subcommands and its flags. */
export function usageText<Context>(
  found: FoundCommand<Context>,
  { local, inherited }: CommandFlags,
  columns?: number,
): string {
  const { command, entry, path } = found;
  const { aliases = [] } = entry;
  const { examples = [] } = command;
  const list = (command.subcommands ?? []).filter(({ isHidden }) => isHidden !== true);
  const subcommands = list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const width = Math.max(minNameWidth, ...(command.subcommands ?? []).map(({ name }) => name.length));
  return [
    'Usage:',
    ...(command.run === undefined ? [] : [`\n  ${useLine(found)}`]),
    ...(subcommands.length === 0 ? [] : [`\n  ${path} [command]`]),
    ...(aliases.length === 0 ? [] : [`\n\nAliases:\n  ${[entry.name, ...aliases].join(', ')}`]),
    ...(examples.length === 0 ? [] : ['\n\nExamples:']),
    ...examples.map((example) => `\n  ${path} ${example}`.trimEnd()),
    ...(subcommands.length === 0 ? [] : ['\n\nAvailable Commands:']),
    ...subcommands.map(({ name, short }) => `\n${wrapped(`  ${name.padEnd(width)} `, short, columns)}`),
    ...(local.some(isShown) ? [`\n\nFlags:\n${flagUsages(local, columns).trimEnd()}`] : []),
    ...(inherited.some(isShown) ? [`\n\nGlobal Flags:\n${flagUsages(inherited, columns).trimEnd()}`] : []),
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
