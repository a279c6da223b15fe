import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { missingCommand } from '../missing-command.ts';

/** `helm search` */
export const searchCommand: Command<HelmContext> = {
  use: 'search [keyword]',
  // prettier-ignore
  long: `
Search provides the ability to search for Helm charts in the various places
they can be stored including the Artifact Hub and repositories you have added.
Use search subcommands to search different locations for charts.
`,
  subcommands: [
    {
      name: 'hub',
      short: 'search for charts in the Artifact Hub or your own hub instance',
      load: () => Promise.resolve(missingCommand('hub', 'use helm for it')),
    },
    {
      name: 'repo',
      short: 'search repositories for a keyword in charts',
      load: async () => (await import('./repo.ts')).searchRepoCommand,
    },
  ],
};
