import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm repo` */
export const repoCommand: Command<HelmContext> = {
  use: 'repo add|remove|list|index|update [ARGS]',
  // prettier-ignore
  long: `
This command consists of multiple subcommands to interact with chart repositories.

It can be used to add, remove, list, and index chart repositories.
`,
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'add',
      short: 'add a chart repository',
      load: async () => (await import('./add.ts')).repoAddCommand,
    },
    {
      name: 'list',
      short: 'list chart repositories',
      aliases: ['ls'],
      load: async () => (await import('./list.ts')).repoListCommand,
    },
    {
      name: 'remove',
      short: 'remove one or more chart repositories',
      aliases: ['rm'],
      load: async () => (await import('./remove.ts')).repoRemoveCommand,
    },
    {
      name: 'index',
      short: 'generate an index file given a directory containing packaged charts',
      load: async () => (await import('./write-index.ts')).repoIndexCommand,
    },
    {
      name: 'update',
      short: 'update information of available charts locally from chart repositories',
      aliases: ['up'],
      load: async () => (await import('./update.ts')).repoUpdateCommand,
    },
  ],
};
