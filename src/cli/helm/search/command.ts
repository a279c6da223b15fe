import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { missingCommand } from '../missing-command.ts';

/** `helm search` */
export const searchCommand: Command<HelmContext> = {
  use: 'search [keyword]',
  long: 'Search for charts.',
  subcommands: [
    {
      name: 'hub',
      short: 'not available: search the Artifact Hub',
      load: () => Promise.resolve(missingCommand('hub', 'use helm for it')),
    },
    {
      name: 'repo',
      short: 'search the repositories that repo add has added',
      load: async () => (await import('./repo.ts')).searchRepoCommand,
    },
  ],
};
