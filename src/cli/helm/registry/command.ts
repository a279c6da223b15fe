import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm registry` */
export const registryCommand: Command<HelmContext> = {
  use: 'registry',
  long: 'Log in to registries of charts, and log out.',
  subcommands: [
    {
      name: 'login',
      short: 'log in to a registry',
      load: async () => (await import('./login.ts')).registryLoginCommand,
    },
    {
      name: 'logout',
      short: 'log out of a registry',
      load: async () => (await import('./logout.ts')).registryLogoutCommand,
    },
  ],
};
