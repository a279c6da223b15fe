import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm registry` */
export const registryCommand: Command<HelmContext> = {
  use: 'registry',
  // prettier-ignore
  long: `
This command consists of multiple subcommands to interact with registries.
`,
  subcommands: [
    {
      name: 'login',
      short: 'login to a registry',
      load: async () => (await import('./login.ts')).registryLoginCommand,
    },
    {
      name: 'logout',
      short: 'logout from a registry',
      load: async () => (await import('./logout.ts')).registryLogoutCommand,
    },
  ],
};
