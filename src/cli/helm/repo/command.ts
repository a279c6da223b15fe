import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm repo` */
export const repoCommand: Command<HelmContext> = {
  use: 'repo add|remove|list|index|update [ARGS]',
  long: 'Manage the list of chart repositories, whose charts are known as NAME/CHART.',
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'add',
      short: 'add a chart repository',
      load: async () => (await import('./add.ts')).repoAddCommand,
    },
    {
      name: 'list',
      short: 'list the chart repositories',
      aliases: ['ls'],
      load: async () => (await import('./list.ts')).repoListCommand,
    },
    {
      name: 'remove',
      short: 'remove chart repositories',
      aliases: ['rm'],
      load: async () => (await import('./remove.ts')).repoRemoveCommand,
    },
    {
      name: 'index',
      short: 'write the index of a folder of archives',
      load: async () => (await import('./write-index.ts')).repoIndexCommand,
    },
    {
      name: 'update',
      short: 'download the indexes of chart repositories',
      aliases: ['up'],
      load: async () => (await import('./update.ts')).repoUpdateCommand,
    },
  ],
};
